"""Paths of the accounts app."""

from django.urls import path

from apps.accounts import invites_api, profile_api, team_api, tokens_api
from apps.accounts.views import sign_in

urlpatterns = [
    path("signin/<str:token>/", sign_in, name="sign-in"),
    path("api/team/", team_api.TeamView.as_view(), name="team"),
    path("api/team/leave/", team_api.LeaveView.as_view(), name="team-leave"),
    path("api/team/members/", team_api.MemberListView.as_view(), name="members"),
    path("api/team/members/<uuid:member_id>/", team_api.MemberView.as_view(), name="member"),
    path("api/team/invites/", invites_api.InviteListView.as_view(), name="invites"),
    path("api/team/invites/<uuid:invite_id>/", invites_api.InviteView.as_view(), name="invite"),
    path("api/invitations/show/", invites_api.InvitationView.as_view(), name="invitation"),
    path("api/invitations/accept/", invites_api.AcceptView.as_view(), name="invitation-accept"),
    path("api/tokens/", tokens_api.TokenListView.as_view(), name="tokens"),
    path("api/tokens/<uuid:token_id>/", tokens_api.TokenView.as_view(), name="token"),
    path("api/session/profile/", profile_api.ProfileView.as_view(), name="profile"),
    path("api/session/team/", profile_api.ChosenTeamView.as_view(), name="session-team"),
    path("api/session/sign-in-link/", profile_api.SignInLinkView.as_view(), name="sign-in-link"),
]

"""Paths of the searches."""

from django.urls import path

from apps.searches import (
    api,
    events,
    front_api,
    items_api,
    model_uses,
    objectives_api,
    placement_api,
    pool_uses,
    proof_api,
    what_if_api,
)

urlpatterns = [
    path("models/<uuid:model_id>/uses/", model_uses.ModelUsesView.as_view(), name="model-uses"),
    path("pools/<uuid:pool_id>/uses/", pool_uses.PoolUsesView.as_view(), name="pool-uses"),
    path("objectives/", objectives_api.ObjectivesView.as_view(), name="objectives"),
    path("searches/", api.SearchListView.as_view(), name="searches"),
    path("searches/sample/", api.SampleSearchView.as_view(), name="search-sample"),
    path("searches/<uuid:search_id>/", api.SearchView.as_view(), name="search"),
    path("searches/<uuid:search_id>/stop/", api.SearchStopView.as_view(), name="search-stop"),
    path("searches/<uuid:search_id>/events/", events.SearchEventsView.as_view(), name="search-events"),
    path("searches/<uuid:search_id>/front/", front_api.FrontView.as_view(), name="search-front"),
    path("searches/<uuid:search_id>/evaluate/", placement_api.EvaluatePlacementView.as_view(), name="search-evaluate"),
    path("searches/<uuid:search_id>/steps/", front_api.FrontStepsView.as_view(), name="search-front-steps"),
    path("searches/<uuid:search_id>/what-if/", what_if_api.WhatIfView.as_view(), name="search-what-if"),
    path(
        "searches/<uuid:search_id>/what-if/operators/<int:index>/",
        what_if_api.WhatIfOperatorView.as_view(),
        name="search-what-if-operator",
    ),
    path("searches/<uuid:search_id>/kept/", what_if_api.KeepView.as_view(), name="search-keep"),
    path(
        "searches/<uuid:search_id>/kept/<str:plan_hash>/", what_if_api.KeptPlanView.as_view(), name="search-kept-plan"
    ),
    path("searches/<uuid:search_id>/prove/", proof_api.ProveView.as_view(), name="search-prove"),
    path("searches/<uuid:search_id>/proof/", proof_api.ProofView.as_view(), name="search-proof"),
    path("searches/<uuid:search_id>/proof/plan/", proof_api.AddSolverPlanView.as_view(), name="search-add-solver-plan"),
    path("searches/<uuid:search_id>/plans/<int:number>/", front_api.PlanView.as_view(), name="search-plan"),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/items/",
        items_api.PlanItemsView.as_view(),
        name="search-plan-items",
    ),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/operators/<int:index>/",
        front_api.PlanOperatorView.as_view(),
        name="search-plan-operator",
    ),
]

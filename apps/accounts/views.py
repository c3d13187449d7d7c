"""The one-time sign-in link."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.services import redeem_sign_in_token

USED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign-in link not valid</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem">
<h1 style="font-size: 1.25rem">This sign-in link has been used or has run out.</h1>
<p>A link works once. On the machine that runs HeteroOpt, <code>./run signin_url</code> prints a new one.</p>
<p lang="zh-Hans">
此登录链接已被使用或已过期。在运行 HeteroOpt 的机器上执行 <code>./run signin_url</code> 可获得新链接。</p>
</body></html>
"""


@require_safe
@never_cache
def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """Sign the token's user in and go to the home page; whoever is signed in already keeps their session."""
    if request.method == "HEAD":
        return HttpResponse()
    user = redeem_sign_in_token(token)
    if user is not None:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return HttpResponseRedirect("/")
    if request.user.is_authenticated:
        return HttpResponseRedirect("/")
    return HttpResponse(USED, status=410)

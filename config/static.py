"""WhiteNoise for an asynchronous stack: static files are read in a thread, and other requests stay asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):
    """The library's middleware is synchronous only, which puts every request, event streams included, in a thread."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._answer(request)
        return cast(HttpResponseBase, super().__call__(request))

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        file = await asyncio.to_thread(self.find_file, path) if self.autorefresh else self.files.get(path)
        if file is None:
            return cast(HttpResponseBase, await self.get_response(request))
        response = cast(StreamingHttpResponse, self.serve(file, request))
        response.streaming_content = _in_threads(cast("Iterator[bytes]", response.streaming_content))
        return response


async def _in_threads(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    iterator = iter(chunks)
    while (chunk := await asyncio.to_thread(next, iterator, None)) is not None:
        yield chunk

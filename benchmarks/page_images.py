"""Pictures of the running product for the documents, in both themes and languages.

Run: python -m benchmarks.page_images SIGN_IN_URL [--out docs/images]   (the link that ./run prints)
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

EXPLORER = re.compile(r"/searches/")


def open_page(browser: Browser, state: Path, base: str, *, theme: str, language: str, width: int, height: int) -> Page:
    """A page with the given look; the choices are stored where the page itself stores them."""
    context = browser.new_context(
        base_url=base,
        storage_state=state,
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        locale="zh-CN" if language == "zh" else "en-GB",
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    return page


def start_search(page: Page, base: str, model: str, pool: str) -> str:
    """Start a search of a sample model on a sample pool, wait until it is done, and return its path."""
    token = page.request.get(f"{base}/api/session/").json()["csrf_token"]
    ids = {
        kind: next(
            row["id"] for row in page.request.get(f"{base}/api/{kind}/").json()["results"] if row["name"] == name
        )
        for kind, name in (("models", model), ("pools", pool))
    }
    answer = page.request.post(
        f"{base}/api/searches/",
        data={"model": ids["models"], "pool": ids["pools"], "settings": {}},
        headers={"X-CSRFToken": token, "Referer": f"{base}/"},
    ).json()
    while page.request.get(f"{base}/api/searches/{answer['id']}/").json()["state"] in ("queued", "running"):
        page.wait_for_timeout(500)
    return f"/searches/{answer['id']}"


def open_review(page: Page, base: str, search: str) -> str:
    """Open the review of a search's first plan with two threads; return its path."""
    headers = {"X-CSRFToken": page.request.get(f"{base}/api/session/").json()["csrf_token"], "Referer": f"{base}/"}
    plan = page.request.get(f"{base}/api{search}/plans/1/").json()
    body = {"search": search.split("/")[-1], "plan": 1, "hash": plan["hash"]}
    review = page.request.post(f"{base}/api/reviews/", data=body, headers=headers).json()["id"]
    for anchor, text in (
        ({"kind": "lane", "device": "gpu0"}, "Is it free while the other job runs?"),
        (
            {"kind": "range", "start_ms": 0.0, "end_ms": 0.17, "device": "gpu0"},
            "Idle until the first copy.",
        ),
    ):
        threads = f"{base}/api/reviews/{review}/threads/"
        answer = page.request.post(threads, data={"anchor": anchor, "body": text}, headers=headers)
        assert answer.ok, answer.text()
    return f"/reviews/{review}"


def main() -> None:
    """Run the sample search once, then look at its pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sign_in_url")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    base = arguments.sign_in_url.split("/signin/")[0]
    state = arguments.out / "state.json"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            page = browser.new_page()
            page.goto(arguments.sign_in_url)
            page.wait_for_url(f"{base}/")
            page.context.storage_state(path=state)
            page.get_by_role("button", name=re.compile("Run sample search|运行示例搜索")).click()
            page.wait_for_url(EXPLORER)
            expect(page.get_by_text(re.compile("Search done|搜索完成"))).to_be_visible(timeout=60_000)
            search = page.url.removeprefix(base).split("?")[0]
            resnet = start_search(page, base, "resnet50", "Data centre")
            bert = start_search(page, base, "bert_base_encoder", "Edge")
            review = open_review(page, base, search)
            second = page.request.get(f"{base}/api{search}/plans/2/").json()["hash"][:12]
            for name, path, theme, language, size in (
                ("explorer", search, "light", "en", (1440, 900)),
                ("explorer-dark-zh", f"{search}?tab=operators", "dark", "zh", (1440, 900)),
                ("resnet50-data-centre", resnet, "light", "en", (1440, 900)),
                ("bert-edge", f"{bert}?tab=operators", "light", "en", (1440, 900)),
                ("compare", f"{search}?tab=compare&b={second}", "light", "en", (1440, 900)),
                ("narrow-zh", search, "light", "zh", (390, 844)),
                ("review", review, "light", "en", (1440, 900)),
                ("home", "/", "dark", "en", (1440, 900)),
            ):
                page = open_page(browser, state, base, theme=theme, language=language, width=size[0], height=size[1])
                page.goto(path)
                page.wait_for_load_state("networkidle" if path == "/" else "load")
                page.wait_for_timeout(4_000)
                page.screenshot(path=arguments.out / f"{name}.png")
                page.context.close()
        finally:
            browser.close()
            state.unlink(missing_ok=True)


if __name__ == "__main__":
    main()

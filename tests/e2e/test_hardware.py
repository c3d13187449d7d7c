"""The pages of hardware in a real browser; this server keeps no devices, which each page has to say."""

from playwright.sync_api import Page, expect


def test_the_three_tabs_say_what_to_do_without_devices(page: Page):
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Hardware").click()
    expect(page.get_by_text("No host has reported yet")).to_be_visible()
    expect(page.get_by_text("./run worker --host where the devices are")).to_be_visible()
    tabs = page.get_by_role("navigation", name="Hardware")
    tabs.get_by_role("link", name="Operators").click()
    expect(page.get_by_text("No device to map")).to_be_visible()
    tabs.get_by_role("link", name="Precision").click()
    expect(page.get_by_text("No device to compare")).to_be_visible()
    expect(tabs.get_by_role("link", name="Precision")).to_have_attribute("aria-current", "page")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

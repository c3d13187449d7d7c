"""Fronts that are kept unpacked: never an older one, never another search's, never too many."""

import pytest

from apps.searches import front_cache
from apps.searches.fronts import load_plan
from apps.searches.models import Search, SearchFront
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture(autouse=True)
def empty():
    front_cache._kept.clear()
    yield
    front_cache._kept.clear()


@pytest.fixture
def searches(alice_client):
    model, pool = add_model(alice_client, long_model(4)), add_pool(alice_client)
    started = [start_search(alice_client, model, pool, {**SMALL, "seed": seed}) for seed in (1, 2)]
    run_jobs()
    return [Search.objects.get(pk=search["id"]) for search in started]


def test_a_front_is_unpacked_once_and_read_again_when_it_was_written(searches, django_assert_num_queries):
    mine, other = searches
    with django_assert_num_queries(2):
        row, front = front_cache.newest_front(mine)
    with django_assert_num_queries(1):
        again = front_cache.newest_front(mine)
    assert again[1] is front
    assert again[0].revision == row.revision
    assert front_cache.newest_front(other)[1] is not front
    # The same revision written a second time, as by a worker that came back.
    SearchFront.objects.get(search=mine).save()
    fresh = front_cache.newest_front(mine)[1]
    assert fresh is not front
    assert fresh.hashes == front.hashes
    SearchFront.objects.update_or_create(
        search=mine, defaults={"revision": row.revision + 1, "data": front_cache.newest_front(other)[1].to_bytes()}
    )
    assert front_cache.newest_front(mine)[1].hashes == front_cache.newest_front(other)[1].hashes
    # One front a search.
    assert len(front_cache._kept) == 2


def test_plans_come_from_the_front_as_it_is_now(searches):
    mine, _ = searches
    before = load_plan(mine, 1, None)
    plans = SearchFront.objects.get(search=mine).body["plans"]
    stored = SearchFront.objects.get(search=mine)
    left = [{**plan, "number": number} for number, plan in enumerate(plans[1:], start=1)]
    stored.body = {**stored.body, "plans": left}
    stored.revision += 1
    stored.save()
    after = load_plan(mine, 1, None)
    assert after.summary["hash"] == plans[1]["hash"] != before.summary["hash"]
    assert after.revision == before.revision + 1


def test_memory_is_bounded(searches, monkeypatch):
    mine, other = searches
    monkeypatch.setattr(front_cache, "MOST_BYTES", 1)
    front_cache.newest_front(mine)
    front_cache.newest_front(other)
    assert [key[0] for key in front_cache._kept] == [other.pk]


def test_no_front_yet(searches):
    mine, _ = searches
    SearchFront.objects.filter(search=mine).delete()
    assert front_cache.newest_front(mine) is None

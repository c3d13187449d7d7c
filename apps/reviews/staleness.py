"""What has changed beneath a plan since it was sent for review. Nothing of it is stored: it follows from the rows."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.accounts.models import User
from apps.jobs.models import FINAL_STATES
from apps.pools.models import Pool, PoolVersion
from apps.reviews.models import Review
from apps.searches.models import Search, SearchFront

MOST_SEARCHES = 200
"""How many later searches are looked at."""
CONSTRAINTS = ("pins", "forbidden_devices")


@dataclass(frozen=True, slots=True)
class Reason:
    """``code``: ``recalibrated``, ``pool_changed``, ``pinned``, ``searched_again`` or ``edited``; when, by whom."""

    code: str
    params: Mapping[str, Any]
    at: datetime.datetime
    by: User | None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary."""
        return {
            "code": self.code,
            "params": dict(self.params),
            "at": self.at.isoformat(),
            "by": None if self.by is None else str(self.by),
        }


def basis_of(search: Search) -> dict[str, Any]:
    """What lies beneath the plans of a search now, to be kept with a request for review."""
    version = _current_version(search)
    return {"pool_version": None if version is None else str(version.pk)}


def reasons_of(review: Review) -> list[Reason]:
    """Why what was said of the plan when it was last sent for review may hold no longer; the oldest reason first."""
    if review.round == 0 or review.requested_at is None:
        return []
    since = review.requested_at
    found = [*_of_pool(review), *_of_searches(review, since), *_of_edits(review, since)]
    return sorted(found, key=lambda reason: reason.at)


def _current_version(search: Search) -> PoolVersion | None:
    """The newest version of the pool that the search used; ``None`` for plain tables and for pools that are gone."""
    if search.pool_version is None:
        return None
    pool = Pool.objects.select_related("version").filter(pk=search.pool_version.pool_id, removed_at=None).first()
    return None if pool is None else pool.version


def _of_pool(review: Review) -> list[Reason]:
    known = review.basis.get("pool_version")
    now = _current_version(review.search)
    if known is None or now is None or str(now.pk) == known:
        return []
    before = PoolVersion.objects.prefetch_related("calibrated", "profiled").filter(pk=uuid.UUID(known)).first()
    if before is None:
        return []
    found = []
    first, second = _measured(before), _measured(now)
    calibrated = {name for name in {*first, *second} if first.get(name) != second.get(name)}
    if calibrated:
        params = {"devices": sorted(calibrated), "version": now.number}
        found.append(Reason("recalibrated", params, now.created_at, now.created_by))
    if now.pool_hash != before.pool_hash:
        params = {"devices": changed_devices(before.spec, now.spec), "version": now.number}
        found.append(Reason("pool_changed", params, now.created_at, now.created_by))
    return found


def _measured(version: PoolVersion) -> dict[str, set[uuid.UUID]]:
    """Which calibration and profiles of models say what operators cost, by the name of a device."""
    found = {name: {one} for name, one in version.calibrations.items()}
    for name, profiles in version.profiles.items():
        found.setdefault(name, set()).update(profiles)
    return found


def changed_devices(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Names of devices whose figures differ, or that one of the pools lacks; none where only links differ."""
    first, second = ({device["name"]: device for device in spec["devices"]} for spec in (before, after))
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def _of_searches(review: Review, since: datetime.datetime) -> list[Reason]:
    found = []
    mine = review.search
    for later in later_searches(mine):
        if later.created_at <= since:
            continue
        if any(_as_set(later.settings[key]) != _as_set(mine.settings[key]) for key in CONSTRAINTS):
            found.append(Reason("pinned", _constraints(mine, later), later.created_at, later.created_by))
        elif _lost_the_plan(later, review):
            params = {"search": str(later.pk), "number": later.number}
            found.append(Reason("searched_again", params, later.created_at, later.created_by))
    return found


def _of_edits(review: Review, since: datetime.datetime) -> list[Reason]:
    """Plans that were made from this one by hand and kept."""
    edits = review.search.kept_plans.select_related("created_by").defer("data", "body")
    return [
        Reason("edited", {"plan": edit.hash, "moved": edit.moved}, edit.created_at, edit.created_by)
        for edit in edits.filter(base=review.plan_hash, created_at__gt=since)
    ]


def later_searches(search: Search) -> list[Search]:
    """Searches that started from this one's front, or from the front of one that did."""
    found: list[Search] = []
    parents = [search.pk]
    while parents and len(found) < MOST_SEARCHES:
        children = list(
            Search.objects.filter(warm_start_id__in=parents, team_id=search.team_id)
            .select_related("created_by", "job")
            .defer("job__checkpoint")
            .order_by("created_at")[: MOST_SEARCHES - len(found)]
        )
        found += children
        parents = [child.pk for child in children]
    return found


def _as_set(setting: Any) -> Any:
    return setting if isinstance(setting, dict) else sorted(setting)


def _constraints(mine: Search, later: Search) -> dict[str, Any]:
    """Which pins and forbidden devices were added or changed, and how many were taken away."""
    before, after = mine.settings["pins"], later.settings["pins"]
    return {
        "search": str(later.pk),
        "number": later.number,
        "operators": sorted(name for name, device in after.items() if before.get(name) != device)[:20],
        "unpinned": sorted(set(before) - set(after))[:20],
        "forbidden": sorted(set(later.settings["forbidden_devices"]) - set(mine.settings["forbidden_devices"])),
    }


def _lost_the_plan(later: Search, review: Review) -> bool:
    if later.job is None or later.job.state not in FINAL_STATES:
        return False
    if later.graph_id != review.search.graph_id or later.settings["fuse"] != review.fuse:
        return True
    body = SearchFront.objects.filter(search=later).values_list("body", flat=True).first()
    return body is not None and all(plan["hash"] != review.plan_hash for plan in body["plans"])

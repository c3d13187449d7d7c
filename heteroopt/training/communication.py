"""The communication that brings a tensor from one annotation to another.

Collectives where the annotations allow them, batched send-receive otherwise. A partial sum is reduced first. What
is chosen is always checked against what each device holds before and must hold after, so a name never promises more
than the bytes do.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from heteroopt.training.annotations import (
    DUPLICATE,
    PARTIAL,
    Annotation,
    Box,
    DeviceGroup,
    DistributedState,
    Holding,
    MeshAxis,
    Shape,
    Split,
    common_factors,
    contains,
    finest_slices,
    volume,
)
from heteroopt.training.errors import TrainingError


class Kind(enum.Enum):
    """What a communication is called."""

    IDENTITY = "identity"
    SEND_RECEIVE = "send_receive"
    ALL_REDUCE = "all_reduce"
    REDUCE_SCATTER = "reduce_scatter"
    ALL_GATHER = "all_gather"
    SPLIT_ALL_REDUCE = "split_all_reduce"
    SPLIT_REDUCE_SCATTER = "split_reduce_scatter"
    SPLIT_ALL_GATHER = "split_all_gather"
    BATCHED_SEND_RECEIVE = "batched_send_receive"


@dataclass(frozen=True, slots=True)
class Transfer:
    """``box`` goes from ``sender`` to ``receiver``; equal devices mean that it is there already."""

    sender: int
    receiver: int
    box: Box


@dataclass(frozen=True, slots=True)
class Reduction:
    """The sum of what ``contributors`` hold of ``box`` goes to every one of ``receivers``."""

    contributors: tuple[int, ...]
    receivers: tuple[int, ...]
    box: Box


@dataclass(frozen=True, slots=True)
class Owners:
    """A slice that ``receiver`` lacks, and all devices that hold it: who sends is for a planner to choose."""

    box: Box
    owners: tuple[int, ...]
    receiver: int


@dataclass(frozen=True)
class Step:
    """One communication: its name, and what it does slice by slice. ``choices``: of a batched send-receive only."""

    kind: Kind
    target: Annotation
    transfers: tuple[Transfer, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    choices: tuple[Owners, ...] = ()


@dataclass(frozen=True)
class Communication:
    """The steps in their order; none or one identity where nothing has to move."""

    steps: tuple[Step, ...]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The names of the steps."""
        return tuple(step.kind for step in self.steps)


def resolve(tensor: str, shape: Shape, source: Annotation, target: Annotation) -> Communication:
    """Return the communication from ``source`` to ``target``.

    Raises :class:`TrainingError` ``partial_target`` where a sum would have to be taken apart, and what
    :meth:`Annotation.check` raises.
    """
    source.check(tensor, shape)
    target.check(tensor, shape)
    source, target = source.with_cuts(shape), target.with_cuts(shape)
    if source == target:
        return Communication((Step(Kind.IDENTITY, target),))
    if target.is_partial:
        return _keep_partial(tensor, shape, source, target)
    direct = _reduce(shape, source, target) if source.is_partial else _gather(shape, source, target)
    if direct is not None:
        return Communication((direct,))
    steps: list[Step] = []
    if source.is_partial:
        steps += _reduce_in_place(shape, source)
        source = steps[-1].target
        if source == target:
            return Communication(tuple(steps))
        gathered = _gather(shape, source, target)
        if gathered is not None:
            return Communication((*steps, gathered))
    return Communication((*steps, _batched(shape, source, target)))


def _keep_partial(tensor: str, shape: Shape, source: Annotation, target: Annotation) -> Communication:
    """A partial target can be reached by moving the very same partial sums to other devices."""
    if (source.along, source.cuts) != (target.along, target.cuts) or not _same_states(source, target):
        raise TrainingError(
            "partial_target",
            f"{tensor}: {source} cannot become {target}: no communication takes a sum apart.",
            hint="Choose a target that is split or duplicate; the sum is then reduced.",
            tensor=tensor,
            source=str(source),
            target=str(target),
        )
    return Communication((_by_position(shape, source, target),))


def _by_position(shape: Shape, source: Annotation, target: Annotation) -> Step:
    transfers = tuple(
        Transfer(before.device, after.device, after.box)
        for before, after in zip(source.holdings(shape), target.holdings(shape), strict=True)
    )
    same = all(one.sender == one.receiver for one in transfers)
    return Step(Kind.IDENTITY if same else Kind.SEND_RECEIVE, target, transfers)


def _reduce(shape: Shape, source: Annotation, target: Annotation) -> Step | None:
    """All-reduce or reduce-scatter on the same groups, whole or by the finest common slices, or ``None``."""
    if [g.devices for g in source.groups] != [g.devices for g in target.groups]:
        return None
    if source.along == PARTIAL:
        if any(_has_partial(group.state) for group in source.groups) or not _same_states(source, target):
            return None
        kind = Kind.SPLIT_ALL_REDUCE if target.along == DUPLICATE else Kind.SPLIT_REDUCE_SCATTER
        reductions = _reductions(shape, source, target, lambda one: -1)
        return None if reductions is None else Step(kind, target, reductions=reductions)
    if (source.along, source.cuts) != (target.along, target.cuts):
        return None
    kinds = set()
    for before, after in zip(source.groups, target.groups, strict=True):
        change = _change(before.state, after.state)
        if change is None:
            return None
        kinds |= change
    if kinds - {Kind.IDENTITY} not in ({Kind.ALL_REDUCE}, {Kind.REDUCE_SCATTER}):
        return None
    reductions = _reductions(shape, source, target, lambda one: one.group)
    if reductions is None:
        return None
    return Step((kinds - {Kind.IDENTITY}).pop(), target, reductions=reductions)


def _change(before: DistributedState, after: DistributedState) -> set[Kind] | None:
    """Return what happens to partial axes, or ``None`` where other axes change too."""
    if before == after:
        return {Kind.IDENTITY}
    factors = common_factors(before, after)
    if factors is None:
        return None
    left, right = before.refined(factors), after.refined(factors)
    if left is None or right is None:
        return None
    found: set[Kind] = set()
    for a, b in zip(left, right, strict=True):
        if a.placement == b.placement:
            continue
        if a.placement != PARTIAL:
            return None
        found.add(Kind.ALL_REDUCE if b.placement == DUPLICATE else Kind.REDUCE_SCATTER)
    return found


def _reductions(
    shape: Shape, source: Annotation, target: Annotation, domain: Callable[[Holding], int]
) -> tuple[Reduction, ...] | None:
    """Return who sums what. ``domain``: holdings are summed within one value of it only.

    Every receiver's slice is the sum over all terms of its domain. Where several devices hold the same term, receivers
    and contributors are paired in their order, so that each sum has contributors of its own where there are enough.
    """
    before: dict[int, list[Holding]] = defaultdict(list)
    for one in source.holdings(shape):
        before[domain(one)].append(one)
    found: dict[tuple[tuple[int, ...], Box], list[int]] = defaultdict(list)
    for after in target.holdings(shape):
        held = before[domain(after)]
        terms = {one.term for one in held}
        cuts = [one.box for one in held] + [after.box]
        for box in finest_slices(shape, iter(cuts)):
            if not contains(after.box, box):
                continue
            owners = {
                term: [one.device for one in held if one.term == term and contains(one.box, box)] for term in terms
            }
            if not all(owners.values()):
                return None
            mine = next((devices for devices in owners.values() if after.device in devices), [after.device])
            place = mine.index(after.device)
            contributors = [devices[place * len(devices) // len(mine)] for devices in owners.values()]
            found[tuple(sorted(contributors)), box].append(after.device)
    return tuple(Reduction(contributors, tuple(receivers), box) for (contributors, box), receivers in found.items())


def _reduce_in_place(shape: Shape, source: Annotation) -> Iterator[Step]:
    """Yield the steps that make every partial axis a duplicate on the same devices: in the groups, then across."""
    if any(_has_partial(group.state) for group in source.groups):
        groups = tuple(
            DeviceGroup(
                group.devices,
                DistributedState(
                    tuple(
                        MeshAxis(DUPLICATE if axis.placement == PARTIAL else axis.placement, axis.parts)
                        for axis in group.state.axes
                    )
                ),
            )
            for group in source.groups
        )
        target = Annotation(groups, source.along, source.cuts)
        yield _sum_step(Kind.ALL_REDUCE, shape, source, target, lambda one: one.group)
        source = target
    if source.along == PARTIAL:
        target = Annotation(source.groups, DUPLICATE)
        yield _sum_step(Kind.SPLIT_ALL_REDUCE, shape, source, target, lambda one: -1)


def _sum_step(
    kind: Kind, shape: Shape, source: Annotation, target: Annotation, domain: Callable[[Holding], int]
) -> Step:
    reductions = _reductions(shape, source, target, domain)
    assert reductions is not None, "each group holds every term of its own share"
    return Step(kind, target, reductions=reductions)


def _same_states(source: Annotation, target: Annotation) -> bool:
    return [group.state for group in source.groups] == [group.state for group in target.groups]


def _has_partial(state: DistributedState) -> bool:
    return any(axis.placement == PARTIAL for axis in state.axes)


def _gather(shape: Shape, source: Annotation, target: Annotation) -> Step | None:
    """Identity, send-receive or all-gather, whole or by slices; ``None`` where only a batched send-receive will do."""
    if (source.along, source.cuts) == (target.along, target.cuts) and _same_states(source, target):
        return _by_position(shape, source, target)
    before = {one.device: one for one in source.holdings(shape)}
    after = list(target.holdings(shape))
    if all(one.device in before and contains(before[one.device].box, one.box) for one in after):
        here = tuple(Transfer(one.device, one.device, one.box) for one in after)
        return Step(Kind.IDENTITY, target, here)
    if [g.devices for g in source.groups] != [g.devices for g in target.groups]:
        return None
    if isinstance(source.along, Split) and target.along == DUPLICATE:
        if not _same_states(source, target):
            return None
        return Step(Kind.SPLIT_ALL_GATHER, target, _pull(shape, source, target, lambda _a, _b: True))
    if (source.along, source.cuts) != (target.along, target.cuts):
        return None
    for old, new in zip(source.groups, target.groups, strict=True):
        if old.state != new.state and not _only_gathers(old.state, new.state):
            return None
    return Step(Kind.ALL_GATHER, target, _pull(shape, source, target, lambda a, b: a.group == b.group))


def _only_gathers(before: DistributedState, after: DistributedState) -> bool:
    factors = common_factors(before, after)
    if factors is None:
        return False
    left, right = before.refined(factors), after.refined(factors)
    return (
        left is not None
        and right is not None
        and all(
            a.placement == b.placement or (isinstance(a.placement, Split) and b.placement == DUPLICATE)
            for a, b in zip(left, right, strict=True)
        )
    )


def _pull(
    shape: Shape, source: Annotation, target: Annotation, may: Callable[[Holding, Holding], bool]
) -> tuple[Transfer, ...]:
    """Each device takes every slice that it lacks from the first device that may give it."""
    before = list(source.holdings(shape))
    found = []
    for after in target.holdings(shape):
        givers = [one for one in before if may(one, after)]
        for box in finest_slices(shape, iter([*(one.box for one in givers), after.box])):
            if contains(after.box, box):
                owners = [one.device for one in givers if contains(one.box, box)]
                sender = after.device if after.device in owners else min(owners)
                found.append(Transfer(sender, after.device, box))
    return tuple(found)


def _batched(shape: Shape, source: Annotation, target: Annotation) -> Step:
    """Table of owners and receivers by finest slice; here the least loaded owner sends (no topology is known)."""
    choices, here = owners_by_slice(shape, source, target)
    load: dict[int, int] = defaultdict(int)
    transfers = [Transfer(device, device, box) for device, box in here]
    for one in choices:
        sender = min(one.owners, key=lambda device: (load[device], device))
        load[sender] += volume(one.box)
        transfers.append(Transfer(sender, one.receiver, one.box))
    return Step(Kind.BATCHED_SEND_RECEIVE, target, tuple(transfers), choices=tuple(choices))


def owners_by_slice(
    shape: Shape, source: Annotation, target: Annotation
) -> tuple[Sequence[Owners], Sequence[tuple[int, Box]]]:
    """Return what each receiver lacks with all that own it, and what is on the right device already."""
    before = list(source.holdings(shape))
    after = list(target.holdings(shape))
    choices: list[Owners] = []
    here: list[tuple[int, Box]] = []
    for box in finest_slices(shape, (one.box for one in (*before, *after))):
        owners = tuple(one.device for one in before if contains(one.box, box))
        for one in after:
            if contains(one.box, box):
                if one.device in owners:
                    here.append((one.device, box))
                else:
                    choices.append(Owners(box, owners, one.device))
    return choices, here

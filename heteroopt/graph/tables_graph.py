"""The graph inside a plain-tables document: operators in topological order, one tensor per source and name."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

from heteroopt.errors import ModelError
from heteroopt.graph.dtypes import BY_NAME
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.graph.names import scope_of
from heteroopt.graph.op_classes import op_class
from heteroopt.graph.tables_fields import a_list, a_name, an_amount, an_object, only_keys, refuse

_OPERATOR_KEYS = (
    "name", "op_type", "weight_bytes", "weights", "flops", "precision", "colocation", "time_ms", "energy_j",
    "memory_share",
)  # fmt: skip
_EDGE_KEYS = ("source", "target", "size_bytes", "tensor")
_PRECISIONS = sorted({element.precision for element in BY_NAME.values()})


@dataclass(slots=True)
class _Tensor:
    """An activation under construction; ``producer`` is a row, -1 for a model input."""

    name: str
    size_bytes: int
    producer: int
    readers: list[int] = field(default_factory=list)
    is_output: bool = False


class _Document:
    def __init__(self, rows: list[Any]) -> None:
        if not rows:
            raise refuse("tables_empty", "operators", "must list at least one operator.")
        self.rows = [an_object(row, f"operators[{i}]") for i, row in enumerate(rows)]
        self.row_of: dict[str, int] = {}
        self.tensors: dict[tuple[int, str], _Tensor] = {}
        for i, row in enumerate(self.rows):
            only_keys(row, _OPERATOR_KEYS, f"operators[{i}]")
            name = a_name(row.get("name"), f"operators[{i}].name")
            if name in self.row_of:
                raise refuse("tables_duplicate", f"operators[{i}].name", f"{name!r} is taken.", name=name)
            self.row_of[name] = i

    def operator(self, value: Any, where: str) -> int:
        """Row of the operator with this name."""
        name = a_name(value, where)
        if name not in self.row_of:
            raise refuse("tables_unknown_name", where, f"there is no operator {name!r}.", name=name)
        return self.row_of[name]

    def tensor(self, source: int, label: str, size_bytes: int, where: str) -> _Tensor:
        """The tensor ``label`` of an operator; the same one must have the same size wherever it is named."""
        known = self.tensors.get((source, label))
        if known is None:
            name = self.rows[source]["name"] + (f":{label}" if label else "")
            known = self.tensors[source, label] = _Tensor(name, size_bytes, source)
        elif known.size_bytes != size_bytes:
            raise refuse(
                "tables_size_conflict", where,
                f"{known.name!r} has {known.size_bytes:,} bytes elsewhere and {size_bytes:,} here.",
                "Give the tensors of one operator different names in 'tensor', or the same size.",
                tensor=known.name,
            )  # fmt: skip
        return known

    def edges(self, edges: list[Any]) -> None:
        """Add all edges."""
        for i, item in enumerate(edges):
            where = f"edges[{i}]"
            edge = an_object(item, where)
            only_keys(edge, _EDGE_KEYS, where)
            source = self.operator(edge.get("source"), f"{where}.source")
            target = self.operator(edge.get("target"), f"{where}.target")
            label = a_name(edge["tensor"], f"{where}.tensor") if "tensor" in edge else ""
            tensor = self.tensor(source, label, an_amount(edge.get("size_bytes"), f"{where}.size_bytes"), where)
            if target in tensor.readers:
                raise refuse("tables_duplicate", where, f"{self.rows[target]['name']!r} reads {tensor.name!r} twice.")
            tensor.readers.append(target)

    def inputs(self, inputs: list[Any]) -> list[_Tensor]:
        """The model's inputs, each with its readers."""
        found: dict[str, _Tensor] = {}
        for i, item in enumerate(inputs):
            where = f"inputs[{i}]"
            entry = an_object(item, where)
            only_keys(entry, ("name", "size_bytes", "readers"), where)
            name = a_name(entry.get("name"), f"{where}.name")
            if name in found:
                raise refuse("tables_duplicate", f"{where}.name", f"{name!r} is taken.", name=name)
            tensor = _Tensor(name, an_amount(entry.get("size_bytes"), f"{where}.size_bytes"), -1)
            for reader in a_list(entry.get("readers", []), f"{where}.readers", len(self.rows)):
                tensor.readers.append(self.operator(reader, f"{where}.readers"))
            tensor.readers = sorted(set(tensor.readers))
            found[name] = tensor
        return list(found.values())

    def outputs(self, outputs: list[Any]) -> None:
        """Mark the tensors that leave the model."""
        for i, item in enumerate(outputs):
            where = f"outputs[{i}]"
            entry = an_object(item, where)
            only_keys(entry, ("operator", "size_bytes", "tensor"), where)
            source = self.operator(entry.get("operator"), f"{where}.operator")
            label = a_name(entry["tensor"], f"{where}.tensor") if "tensor" in entry else ""
            size = an_amount(entry.get("size_bytes"), f"{where}.size_bytes")
            self.tensor(source, label, size, where).is_output = True

    def order(self) -> list[int]:
        """Rows in topological order, those of the document where that is one."""
        waiting = [0] * len(self.rows)
        readers: list[list[int]] = [[] for _ in self.rows]
        for tensor in self.tensors.values():
            for reader in tensor.readers:
                waiting[reader] += 1
                readers[tensor.producer].append(reader)
        ready = [i for i, count in enumerate(waiting) if count == 0]
        heapify(ready)
        order = []
        while ready:
            row = heappop(ready)
            order.append(row)
            for reader in readers[row]:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    heappush(ready, reader)
        if len(order) < len(self.rows):
            stuck = [self.rows[i]["name"] for i, count in enumerate(waiting) if count > 0]
            raise ModelError(
                "graph_cycle",
                f"The operators {', '.join(repr(name) for name in stuck[:3])} wait for each other in a cycle.",
                hint="Remove an edge: the operators must form a directed acyclic graph.",
                operators=stuck[:10],
            )
        return order

    def weights(self, row: int, known: dict[str, Initializer]) -> tuple[int, ...]:
        """Initializers of an operator: its own weights, and named ones that operators may share."""
        where = f"operators[{row}]"
        entry = self.rows[row]
        wanted: list[tuple[str, int]] = []
        own = an_amount(entry.get("weight_bytes", 0), f"{where}.weight_bytes")
        if own:
            wanted.append((f"{entry['name']}.weights", own))
        for i, item in enumerate(a_list(entry.get("weights", []), f"{where}.weights", 1000)):
            weight = an_object(item, f"{where}.weights[{i}]")
            only_keys(weight, ("name", "size_bytes"), f"{where}.weights[{i}]")
            size = an_amount(weight.get("size_bytes"), f"{where}.weights[{i}].size_bytes")
            wanted.append((a_name(weight.get("name"), f"{where}.weights[{i}].name"), size))
        indices = []
        for name, size in wanted:
            if name not in known:
                known[name] = Initializer(len(known), name, (size,), "uint8", size)
            elif known[name].size_bytes != size:
                raise refuse(
                    "tables_size_conflict", where, f"the weight {name!r} has another size elsewhere.", name=name
                )
            indices.append(known[name].index)
        return tuple(dict.fromkeys(indices))


def build_graph(name: str, rows: list[Any], edges: list[Any], inputs: list[Any], outputs: list[Any]) -> Graph:
    """The graph of a document's parts; raises :class:`ModelError` for whatever does not fit together."""
    document = _Document(rows)
    document.edges(edges)
    model_inputs = document.inputs(inputs)
    document.outputs(outputs)
    order = document.order()
    place = {row: i for i, row in enumerate(order)}
    produced: dict[int, list[_Tensor]] = {}
    for tensor in document.tensors.values():
        produced.setdefault(tensor.producer, []).append(tensor)
    sequence = model_inputs + [tensor for row in order for tensor in produced.get(row, [])]
    tensors = tuple(
        Tensor(
            i, item.name, None, "uint8", item.size_bytes, "given", -1 if item.producer < 0 else place[item.producer],
            tuple(sorted(place[reader] for reader in item.readers)),
        )
        for i, item in enumerate(sequence)
    )  # fmt: skip
    reads: list[list[int]] = [[] for _ in order]
    writes: list[list[int]] = [[] for _ in order]
    for made in tensors:
        if made.producer >= 0:
            writes[made.producer].append(made.index)
        for reader in made.consumers:
            reads[reader].append(made.index)
    known: dict[str, Initializer] = {}
    weights = {row: document.weights(row, known) for row in range(len(document.rows))}
    initializers = tuple(known.values())
    operators = tuple(
        _operator(
            i, row, document, reads[i], writes[i], weights[row],
            sum(tensors[t].size_bytes for t in reads[i]) + sum(initializers[w].size_bytes for w in weights[row]),
            sum(tensors[t].size_bytes for t in writes[i]),
        )
        for i, row in enumerate(order)
    )  # fmt: skip
    return Graph(
        name=name,
        operators=operators,
        tensors=tensors,
        initializers=initializers,
        inputs=tuple(range(len(model_inputs))),
        outputs=tuple(i for i, item in enumerate(sequence) if item.is_output),
    )


def _operator(
    index: int,
    row: int,
    document: _Document,
    reads: list[int],
    writes: list[int],
    weights: tuple[int, ...],
    bytes_read: int,
    bytes_written: int,
) -> Operator:
    where, entry = f"operators[{row}]", document.rows[row]
    op_type = a_name(entry.get("op_type", "Operator"), f"{where}.op_type")
    precision = entry.get("precision", "fp32")
    if precision not in _PRECISIONS:
        raise refuse("tables_range", f"{where}.precision", f"must be one of {', '.join(_PRECISIONS)}.")
    group = entry.get("colocation", "")
    kind = op_class(op_type)
    return Operator(
        index=index,
        name=entry["name"],
        op_type=op_type,
        domain="",
        op_class="movement" if kind == "view" else kind,
        inputs=tuple(reads),
        outputs=tuple(writes),
        initializers=weights,
        flops=an_amount(entry.get("flops", 0), f"{where}.flops"),
        flops_source="given",
        bytes_read=bytes_read,
        bytes_written=bytes_written,
        precision=precision,
        is_view=False,
        scope=scope_of(entry["name"]),
        attributes={},
        members=(index,),
        colocation=a_name(group, f"{where}.colocation") if group else "",
    )

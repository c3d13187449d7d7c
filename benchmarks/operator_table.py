"""Writes docs/operators.md: how the work of every published operator type is counted.

``python -m benchmarks.operator_table > docs/operators.md``
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from heteroopt.graph.flops import MICROSOFT_FORMULAS, ONNX_FORMULAS, WORKLESS_CLASSES
from heteroopt.graph.flops_view import Formula
from heteroopt.graph.op_classes import OP_CLASS, UNCOUNTED

HEAD = """# How operators are counted

Written by `python -m benchmarks.operator_table > docs/operators.md` from the registry in `heteroopt/graph/flops*.py`,
whose docstrings give layouts and sources. A test fails if an operator type of the installed ONNX has neither a formula
nor a place below.

- FLOP = 2 x MAC. *out* and *in* are the elements of the first output and of the first input; a factor alone stands for
  that many operations an element. Contractions leave their bias out, as PyTorch's FlopCounterMode does.
- Elementwise operators: a convention. An addition, multiplication, division, comparison or rounding counts 1, a
  transcendental or a root 4, a softmax 5.
- *estimate*: the data decides, and the count is an upper bound or a typical value. Such operators, and those of which
  a size had to be guessed, say `estimated` in the column that tells where the FLOP are from.
- Bytes: every operator reads its activations and weights once (the same tensor given twice is read once; a gather reads
  what it writes, not the table; Shape and its like read nothing) and writes its outputs once. Quantised and packed
  weights count as they are stored. Views (Reshape, Squeeze, Identity, ...) move nothing.
- Masks do not make attention cheaper, and shorter sequences do not make recurrent layers cheaper: what is counted is
  what the shapes say.
"""


def table(formulas: Mapping[str, Formula]) -> list[str]:
    """One row a formula, with all operators that share it."""
    shared: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for op_type, formula in formulas.items():
        shared[formula.text, formula.exact].append(op_type)
    lines = ["| operators | FLOP |", "| --- | --- |"]
    for (text, exact), names in sorted(shared.items(), key=lambda item: sorted(item[1])):
        lines.append(f"| {', '.join(sorted(names))} | {text}{'' if exact else ' (estimate)'} |")
    return lines


def page() -> str:
    """The text of docs/operators.md."""
    counted = {*ONNX_FORMULAS, *MICROSOFT_FORMULAS}
    free = sorted(name for name, group in OP_CLASS.items() if group in WORKLESS_CLASSES and name not in counted)
    return "\n".join(
        [
            HEAD,
            "## ONNX (`ai.onnx`, `ai.onnx.ml`, previews)\n",
            *table(ONNX_FORMULAS),
            "\n## `com.microsoft`\n",
            "Operators of ONNX's names that are not in this table count like ONNX's.\n",
            *table(MICROSOFT_FORMULAS),
            "\n## No arithmetic\n",
            "They move, choose or rename data and count 0 FLOP; If, Loop and Scan count what is inside them.\n",
            f"{', '.join(free)}.",
            "\n## Not counted\n",
            "Costed by their bytes, named among a model's remarks, with a place to give a cost; so is every operator",
            "of a domain that is not published.\n",
            *(f"- {name}: {why}." for name, why in sorted(UNCOUNTED.items())),
            "",
        ]
    )


if __name__ == "__main__":
    print(page(), end="")

"""FLOP of the classical models of ai.onnx.ml: products for linear models, comparisons for trees."""

from __future__ import annotations

import math

from heteroopt.graph.flops_view import Formula, View, mac, per_output


def _rows(v: View) -> tuple[int, int]:
    """Rows and features of the input [N, F] (a vector is one row)."""
    shape = v.shape(0)
    return (1, shape[0]) if len(shape) == 1 else (shape[0], math.prod(shape[1:]))


def _linear(v: View) -> int:
    """One product of every row with the coefficients [targets, F]."""
    return mac(_rows(v)[0] * len(v.attributes["coefficients"]))


def _support_vectors(v: View) -> int:
    """Every row meets every support vector (2 an element), its kernel (5) and the sum over the vectors (2)."""
    rows, features = _rows(v)
    vectors = v.attributes.get("support_vectors", [])
    count = len(vectors) // max(features, 1)
    return rows * (mac(len(vectors) or len(v.attributes["coefficients"])) + 7 * count)


def _trees(v: View) -> int:
    """Every row walks every tree from its root: log2 of its nodes comparisons, as if trees were balanced."""
    if "tree_roots" in v.attributes:
        trees, nodes = len(v.attributes["tree_roots"]), len(v.attributes["nodes_featureids"])
    else:
        trees, nodes = len(set(v.attributes["nodes_treeids"])), len(v.attributes["nodes_treeids"])
    return _rows(v)[0] * trees * (math.ceil(math.log2(max(nodes / max(trees, 1), 2))) + 1)


_LINEAR = Formula("2 x rows x coefficients", _linear)
_SUPPORT = Formula("rows x (2 x support vectors' elements + 7 x vectors)", _support_vectors)
_TREES = Formula("rows x trees x (log2 of the nodes of a tree + 1), as if balanced", _trees, exact=False)
CLASSICAL: dict[str, Formula] = {
    "LinearClassifier": _LINEAR, "LinearRegressor": _LINEAR, "SVMClassifier": _SUPPORT, "SVMRegressor": _SUPPORT,
    "TreeEnsemble": _TREES, "TreeEnsembleClassifier": _TREES, "TreeEnsembleRegressor": _TREES,
    "Scaler": per_output(2), "Normalizer": per_output(3), "Imputer": per_output(1), "Binarizer": per_output(1),
}  # fmt: skip

"""Scikit-learn's histogram gradient boosting, and its trees written as ONNX without losing a bit of a
threshold."""

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.isotonic import IsotonicRegression

Model = HistGradientBoostingClassifier | HistGradientBoostingRegressor


def boosted(
    *, rounds: int = 150, leaves: int = 12, rate: float = 0.06, least: int = 30, seed: int = 0
) -> Model:
    return HistGradientBoostingClassifier(
        max_iter=rounds,
        max_leaf_nodes=leaves,
        learning_rate=rate,
        min_samples_leaf=least,
        l2_regularization=1.0,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )


def margins(model: Model, rows: np.ndarray) -> np.ndarray:
    return model.decision_function(rows) if len(rows) else np.zeros(0)


def to_onnx(models: Sequence[Model]) -> bytes:
    """One ensemble: the mean of the models' margins, in double precision."""
    columns: dict[str, list] = {
        name: [] for name in ("tree", "node", "feature", "value", "true", "false", "mode")
    }
    leaf_tree, leaf_node, weights, tree = [], [], [], 0
    for model in models:
        for (predictor,) in model._predictors:
            for i, node in enumerate(predictor.nodes):
                leaf = bool(node["is_leaf"])
                columns["tree"].append(tree)
                columns["node"].append(i)
                columns["feature"].append(0 if leaf else int(node["feature_idx"]))
                columns["value"].append(0.0 if leaf else float(node["num_threshold"]))
                columns["true"].append(0 if leaf else int(node["left"]))
                columns["false"].append(0 if leaf else int(node["right"]))
                columns["mode"].append("LEAF" if leaf else "BRANCH_LEQ")
                if leaf:
                    leaf_tree.append(tree)
                    leaf_node.append(i)
                    weights.append(float(node["value"]) / len(models))
            tree += 1
    base = sum(float(np.ravel(model._baseline_prediction)[0]) for model in models) / len(models)
    double = lambda name, values: numpy_helper.from_array(np.asarray(values, dtype=np.float64), name)  # noqa: E731
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["rows"],
        ["margins"],
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=columns["tree"],
        nodes_nodeids=columns["node"],
        nodes_featureids=columns["feature"],
        nodes_modes=columns["mode"],
        nodes_truenodeids=columns["true"],
        nodes_falsenodeids=columns["false"],
        nodes_values_as_tensor=double("values", columns["value"]),
        target_treeids=leaf_tree,
        target_nodeids=leaf_node,
        target_ids=[0] * len(weights),
        target_weights_as_tensor=double("weights", weights),
        base_values_as_tensor=double("base", [base]),
    )
    width = models[0].n_features_in_
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info("rows", TensorProto.DOUBLE, [None, width])],
        [helper.make_tensor_value_info("margins", TensorProto.FLOAT, [None, 1])],  # as the operator has it
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 18)]
    )
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def curve(
    margin: np.ndarray, label: np.ndarray, weight: np.ndarray | None = None
) -> tuple[list[float], list[float]]:
    """A calibration curve (margins, probabilities) by isotonic regression, away from 0 and 1 by a Laplace
    step."""
    fitted = IsotonicRegression(out_of_bounds="clip", y_min=0.002, y_max=0.998).fit(
        margin, label, sample_weight=weight
    )
    x, y = fitted.X_thresholds_, fitted.y_thresholds_
    if len(x) < 2:
        x, y = np.asarray([x[0], x[0] + 1.0]), np.asarray([y[0], y[0]])
    return [float(v) for v in np.round(x, 9)], [float(v) for v in np.round(y, 9)]

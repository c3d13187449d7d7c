"""The sample workspace: models and pools that a new team starts with, read ahead so that they are ready."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from apps.accounts.models import Team, User
from apps.modelhub.models import Model
from apps.modelhub.reading import read_model
from apps.modelhub.services import add_sample_model
from apps.pools.models import Pool
from apps.pools.services import add_pool
from heteroopt.devices.templates import list_sample_pools, load_sample_pool

LIGHT_MODELS = ("densenet121", "inception_v2", "resnet50", "inception_v1")
BERT = "bert_base_encoder"
"""Newest first on the page: the one that the sample search uses is loaded last."""
FIRST_POOL = "data_center"


def load_samples(team: Team, user: User | None, say: Callable[[str], object] = lambda text: None) -> int:
    """Load what the team has never had; return how many models and pools that were. Deleted ones stay deleted."""
    had_models = set(Model.objects.filter(team=team, is_sample=True).values_list("file_name", flat=True))
    had_pools = set(Pool.objects.filter(team=team).values_list("sample", flat=True))
    loaded = 0
    for name in (BERT, *LIGHT_MODELS):
        if f"{name}.onnx" not in had_models:
            say(f"Loading the sample model {name}")
            _load_model(team, user, name)
            loaded += 1
    for name in sorted(list_sample_pools(), key=lambda pool: (pool == FIRST_POOL, pool)):
        if name not in had_pools:
            say(f"Loading the sample pool {name}")
            add_pool(team, user, load_sample_pool(name), sample=name)
            loaded += 1
    return loaded


def restore_samples(team: Team) -> int:
    """Bring back the samples that were deleted; return how many there were."""
    models = Model.objects.filter(team=team, is_sample=True).exclude(removed_at=None).update(removed_at=None)
    pools = Pool.objects.filter(team=team).exclude(sample="").exclude(removed_at=None).update(removed_at=None)
    return models + pools


def bert_encoder() -> bytes:
    """BERT-base, sequence 128, batch 1, as the engine writes it."""
    from heteroopt.graph.samples import bert_encoder_onnx

    return bert_encoder_onnx()


def _load_model(team: Team, user: User | None, name: str) -> None:
    from heteroopt.graph.samples import onnx_light_model

    with tempfile.TemporaryDirectory(dir=settings.TEMPORARY_DIR) as folder:
        path = Path(folder) / f"{name}.onnx"
        path.write_bytes(bert_encoder() if name == BERT else onnx_light_model(name).read_bytes())
        read = read_model({"dims": {}}, {"model": path})
        add_sample_model(team, user, name=name, file=path, document=read["document"], summary=read["summary"])

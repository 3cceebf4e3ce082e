# SPDX-License-Identifier: Apache-2.0
"""quantize_model on two processes of a Dask cluster on the loopback, one of which is killed half-way."""

import json
import os
import threading
import time
import warnings

import numpy as np
import pytest
from checkpoint import save

import clquant

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of distributed's own
SHARDS = [f"model-{number}.safetensors" for number in range(5)]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Make a checkpoint of five shards."""
    folder, rng = tmp_path_factory.mktemp("model"), np.random.default_rng(6)
    for number, shard in enumerate(SHARDS):
        save(
            folder / shard,
            {f"{number}.weight": rng.normal(0, 1, (256, 8192)).astype(np.float32), f"{number}.bias": np.ones(3, np.float32)},
        )
    names = {f"{number}.{kind}": shard for number, shard in enumerate(SHARDS) for kind in ("weight", "bias")}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    (folder / "config.json").write_text("{}")
    return folder / "model.safetensors.index.json"


@pytest.fixture
def client(tmp_path):
    """Start two workers, processes of one thread."""
    with (
        distributed.LocalCluster(
            2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=str(tmp_path), silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill_one(client, out, seen):
    """Kill a worker that makes a shard, with its command, once the first shard is whole."""
    import psutil  # distributed needs it too

    workers = client.run(os.getpid)
    while not list(out.glob("model-*")):
        time.sleep(0.005)
    while not (busy := [worker for worker, tasks in client.processing().items() if tasks]):
        time.sleep(0.005)
    worker = psutil.Process(workers[busy[0]])
    for process in (worker, *worker.children()):
        process.kill()
    seen.update(pid=workers[busy[0]], whole=len(list(out.glob("model-*"))))


def test_a_worker_is_killed(client, index, tmp_path):
    alone, out, seen = tmp_path / "alone", tmp_path / "out", {}
    right = clquant.quantize_model(index, alone)
    killer = threading.Thread(target=kill_one, args=(client, out, seen))
    killer.start()
    errors = clquant.quantize_model(index, out, client=client)
    killer.join()
    assert 0 < seen["whole"] < len(SHARDS)
    assert seen["pid"] not in client.run(os.getpid).values()
    assert right.keys() == {f"{number}.weight" for number in range(len(SHARDS))}
    assert errors == right
    for file in alone.iterdir():
        assert (out / file.name).read_bytes() == file.read_bytes(), file.name
    assert {file.name for file in out.iterdir() if not file.name.startswith(".")} == {file.name for file in alone.iterdir()}
    assert clquant.quantize_model(index.parent, out, client=client, clean=True) == right  # by its folder, all there
    with pytest.raises(ValueError, match="skip 'none': no tensor has such a name"):
        clquant.quantize_model(index, tmp_path / "other", skip="none", client=client)
    assert not (tmp_path / "other").exists()

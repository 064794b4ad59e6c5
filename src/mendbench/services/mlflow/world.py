"""The real MLflow tracking server and model registry: ``https://mlflow.northwind.example/api/2.0/mlflow/…``.

It starts with the experiment ``Default`` alone. A case's state creates experiments, which get the ids 1, 2, … in order, and models::

    {"experiments": {"churn": {"tags": {"team": "growth"}, "runs": {"xgb-depth-6": {
         "status": "FINISHED", "start_time": 1767222000000, "end_time": 1767225600000, "params": {"depth": 6}, "metrics": {"auc": 0.91}}}}},
     "registered_models": {"churn-classifier": {"versions": [{"run": "xgb-depth-6", "tags": {"stage": "qa"}}], "aliases": {"champion": 1}}}}

The metrics of a run have its end as their time. A version without a source has the artifact ``model`` of its run.
"""

from __future__ import annotations

import re

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Pins
from mendbench.services.real_server import ProxiedServer, copy_database, entries, json_request
from mendbench.services.request_seeds import SEEDED_ENVIRONMENT, SERVE_SEEDED, RequestSeeds

HOST = "mlflow.northwind.example"
API = "/api/2.0/mlflow"
NOW_MS = 1_767_225_600_000
"""The pinned time of creation and change, and the default time of runs: the start of 2026, in milliseconds."""
_READS = re.compile(r"/(?:search|get)[a-z-]*$")
"""The operations that read, some of them by POST."""
PINS = Pins(
    headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT", "server": None},
    texts=((re.compile(r'("(?:creation|last_updated?)_time(?:stamp)?": )[0-9]+'), rf"\g<1>{NOW_MS}"),),
)
_LAUNCH = f"""{SERVE_SEEDED}
from mlflow.server import app
from mlflow.server.handlers import initialize_backend_stores
store, artifacts = sys.argv[1:]
initialize_backend_stores(store, store, artifacts)
serve_seeded(app)
"""


class Mlflow(ProxiedServer):
    """A real server. It starts once; before each scope its database is reset to the state after the start."""

    name = "mlflow"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._seeds = RequestSeeds()
        super().__init__(PINS, self._seeds.seeded)

    def start(self) -> str:
        """Start the server, and return the base URL of its proxy.

        Raises:
            BadInput: MLflow is not installed, or does not start.
        """
        refuse_absent(self.name, "mlflow", "flask", "sqlalchemy")
        with self._starting("mlflow") as folder:
            words = (f"sqlite:///{folder / 'tracking.db'}", "mlflow-artifacts:/")
            own = {
                "HOME": str(folder),
                "MLFLOW_SERVER_DISABLE_SECURITY_MIDDLEWARE": "true",
                "MLFLOW_DISABLE_TELEMETRY": "true",
            }
            self._front.behind = self._server.start(
                _LAUNCH, *words, log=folder / "log", environ={**SEEDED_ENVIRONMENT, **own}
            )
            copy_database(folder / "tracking.db", folder / "empty.db")
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Reset the database, and create the experiments and models of the state.

        Raises:
            BadInput: MLflow refuses a part of the state, a version names no run, or the server was not started.
        """
        folder = self._started_folder()
        copy_database(folder / "empty.db", folder / "tracking.db")
        self._seeds.clear()
        runs: dict[str, JsonObject] = {}
        for name, experiment in entries(state, "experiments"):
            place = f"experiments.{name}"
            made = self._create(place, "experiments/create", {"name": name, "tags": _pairs(experiment, "tags")})
            for run_name, run in entries(experiment, "runs"):
                runs[run_name] = self._create_run(f"{place}.runs.{run_name}", made["experiment_id"], run_name, run)
        for name, model in entries(state, "registered_models"):
            self._create_model(f"registered_models.{name}", name, model, runs)

    def reads(self, request: Request) -> bool | None:
        """Return whether a request is read-only. Searches are sent by POST."""
        return True if _READS.search(request.url.partition("?")[0]) else None

    def _create(self, place: str, operation: str, body: JsonObject) -> Json:
        return self._created(place, json_request("POST", HOST, f"{API}/{operation}", body))

    def _create_run(self, place: str, experiment_id: str, name: str, run: JsonObject) -> JsonObject:
        """Create a run, and return its ``info``."""
        started = run.get("start_time") or NOW_MS
        ended = run.get("end_time") or started
        body = {"experiment_id": experiment_id, "run_name": name, "start_time": started, "tags": _pairs(run, "tags")}
        info: JsonObject = self._create(place, "runs/create", body)["run"]["info"]
        known = {"run_id": info["run_id"]}
        values = entries(run, "metrics")
        metrics = [{"key": key, "value": value, "timestamp": ended, "step": 0} for key, value in values]
        self._create(place, "runs/log-batch", {**known, "metrics": metrics, "params": _pairs(run, "params")})
        status = run.get("status") or "RUNNING"
        if status != "RUNNING":
            self._create(place, "runs/update", {**known, "status": status, "end_time": ended})
        return info

    def _create_model(self, place: str, name: str, model: JsonObject, runs: dict[str, JsonObject]) -> None:
        self._create(place, "registered-models/create", {"name": name, **_described(model)})
        for number, version in enumerate(model.get("versions") or [], 1):
            run = runs.get(version.get("run") or "")
            if run is None:
                found = f"version {number} names no run of the experiments"
                raise BadInput(f"state of {self.name}: {place}", found, "name one under run")
            source = version.get("source") or f"{run['artifact_uri']}/model"
            body = {"name": name, "run_id": run["run_id"], "source": source, **_described(version)}
            self._create(place, "model-versions/create", body)
        for alias, number in entries(model, "aliases"):
            self._create(place, "registered-models/alias", {"name": name, "alias": alias, "version": str(number)})


def _described(value: JsonObject) -> JsonObject:
    return {"description": value.get("description") or "", "tags": _pairs(value, "tags")}


def _pairs(value: JsonObject, key: str) -> list[JsonObject]:
    return [{"key": name, "value": str(each)} for name, each in entries(value, key)]

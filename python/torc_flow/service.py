"""The few routes that a workflow needs, over HTTP."""

import base64
import getpass
import json
import os
import urllib.error
import urllib.request
from typing import Any, Dict, Iterator, List, Optional


class ServiceError(Exception):
    """The server refused a request, or did not answer."""


# A request with more jobs would hold the server, and its body would be refused.
MOST_JOBS = 10_000


class Service:
    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def create(self, flow: Dict[str, Any]) -> int:
        """Creates the workflow of a file's content whose jobs have no parameters, and makes its first jobs ready."""
        user = os.environ.get("TORC_USERNAME") or getpass.getuser()
        workflow = self.ask("POST", "/workflows", {"name": flow["name"], "user": user, "env": flow["env"]})["id"]
        needs = {
            each["name"]: self.ask("POST", "/resource_requirements", {"workflow_id": workflow, **each})["id"]
            for each in flow["resource_requirements"]
        }
        files: Dict[str, int] = {}
        for at in range(0, len(flow["files"]), MOST_JOBS):
            records = [{"workflow_id": workflow, **each} for each in flow["files"][at : at + MOST_JOBS]]
            made = self.ask("POST", "/bulk_files", {"files": records})["files"]
            files.update((file["name"], file["id"]) for file in made)
        ids: Dict[str, int] = {}
        for jobs in _batches(flow["jobs"]):
            records = [_record(job, workflow, needs, files, ids) for job in jobs]
            ids.update((job["name"], job["id"]) for job in self.ask("POST", "/bulk_jobs", {"jobs": records})["jobs"])
        self.ask("POST", f"/workflows/{workflow}/initialize_jobs")
        return int(workflow)

    def ask(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Content-Type", "application/json")
        user, password = os.environ.get("TORC_USERNAME"), os.environ.get("TORC_PASSWORD")
        if password is not None:
            login = base64.b64encode(f"{user or getpass.getuser()}:{password}".encode()).decode()
            request.add_header("Authorization", f"Basic {login}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise ServiceError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from error
        except OSError as error:
            raise ServiceError(f"{self.url} does not answer: {error}") from error


def _batches(jobs: List[Dict[str, Any]]) -> Iterator[List[Dict[str, Any]]]:
    """Jobs that can be created together: none depends on another one of its batch, whose id is not known yet."""
    batch: Dict[str, Dict[str, Any]] = {}
    for job in jobs:
        if len(batch) == MOST_JOBS or any(name in batch for name in job["depends_on"]):
            yield list(batch.values())
            batch = {}
        batch[job["name"]] = job
    if batch:
        yield list(batch.values())


def _record(
    job: Dict[str, Any], workflow: int, needs: Dict[str, int], files: Dict[str, int], ids: Dict[str, int]
) -> Dict[str, Any]:
    record = {"workflow_id": workflow, "name": job["name"], "command": job["command"]}
    if "resource_requirements" in job:
        record["resource_requirements_id"] = needs[job["resource_requirements"]]
    if "timeout" in job:
        record["timeout"] = job["timeout"]
    record["output_file_ids"] = [files[name] for name in job["output_files"]]
    record["depends_on_job_ids"] = [ids[name] for name in job["depends_on"]]
    return record

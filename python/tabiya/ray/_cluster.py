"""The cluster: connecting to it, and tasks that survive the loss of nodes."""

import os
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, Tuple, Type

from .._tabiya import __version__

#: Tasks that wait or run, for each CPU of the cluster.
_TASKS_PER_CPU = 2
#: How often a task is submitted before this machine does its work. Ray repeats it too, without limit, as long as it
#: has the task.
_ATTEMPTS = 5


def connect(address: Optional[str]) -> Any:
    """The module ``ray``, connected: to ``address``, to ``RAY_ADDRESS``, or to a cluster of this machine alone."""
    try:
        import ray
    except ImportError:
        raise ImportError("tabiya.ray needs Ray: pip install 'tabiya[ray]'") from None
    if not ray.is_initialized():
        address = address or os.environ.get("RAY_ADDRESS")
        ray.init(address=address, log_to_driver=False, configure_logging=False, include_dashboard=None if address else False)
    return ray


class Tasks:
    """Runs tasks on the cluster and yields their results as they come.

    ``function`` gets the arguments of a task and returns a result; it runs in processes of other machines. What is
    shared by all tasks is sent once.
    """

    def __init__(self, ray: Any, function: Callable[..., Any], *shared: Any) -> None:
        self._ray = ray
        # With the strategy "SPREAD" each task would ask for a worker anew, and wait for nodes that are lost.
        self._function = ray.remote(num_cpus=1, max_retries=-1)(_on_node)
        self._arguments = (function, *(ray.put(argument) for argument in shared))
        #: Number of results by node.
        self.nodes: Dict[str, int] = {}

    def _limit(self) -> int:
        """Enough tasks for all CPUs, those of new nodes too."""
        return max(2, int(_TASKS_PER_CPU * self._ray.cluster_resources().get("CPU", 1)))

    def run(self, tasks: Iterable[Tuple[Any, Tuple[Any, ...]]]) -> Iterator[Tuple[Any, Any]]:
        """Submits tasks, each a key and its arguments, and yields keys and results. A task that fails again and again
        because its workers are lost yields ``None``."""
        ray, source = self._ray, iter(tasks)
        pending: Dict[Any, Tuple[Any, Tuple[Any, ...], int]] = {}
        is_done = False
        while pending or not is_done:
            while not is_done and len(pending) < self._limit():
                task = next(source, None)
                if task is None:
                    is_done = True
                    break
                key, arguments = task
                pending[self._submit(arguments)] = (key, arguments, 1)
            if not pending:
                return
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=10)
            for reference in ready:
                key, arguments, attempt = pending.pop(reference)
                try:
                    node, version, result = ray.get(reference)
                except _lost(ray):
                    if attempt < _ATTEMPTS:
                        pending[self._submit(arguments)] = (key, arguments, attempt + 1)
                    else:
                        yield key, None
                    continue
                if version != __version__:
                    raise RuntimeError(f"node {node} has tabiya {version}, this machine {__version__}")
                self.nodes[node] = self.nodes.get(node, 0) + 1
                yield key, result

    def _submit(self, arguments: Tuple[Any, ...]) -> Any:
        return self._function.remote(*self._arguments, *arguments)


def _lost(ray: Any) -> Tuple[Type[BaseException], ...]:
    """Exceptions of tasks whose worker, node or result was lost."""
    names = ["WorkerCrashedError", "NodeDiedError", "ObjectLostError", "ObjectFetchTimedOutError", "LocalRayletDiedError"]
    return tuple(getattr(ray.exceptions, name) for name in names if hasattr(ray.exceptions, name))


def _on_node(function: Callable[..., Any], *arguments: Any) -> Tuple[str, str, Any]:
    import ray

    return ray.get_runtime_context().get_node_id(), __version__, function(*arguments)

"""
What is sent to a job: each call runs in a process as a job has it, without a server and without a runner. The reports beside some
tests are those of other programs in which the same went wrong.
"""

import contextlib
import functools
import os
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import warnings
from pathlib import Path
from typing import Any, Dict, List, Tuple

import torc_flow as torc
from torc_flow import pickles

SCRIPT = """
import sys, torc_flow as torc
{script}
with torc.Workflow("calls", sys.argv[1]) as flow:
    task = torc.map({call}, [{value}])[0]
print(flow.folder, task.name, sep="\\n")
"""


class Sent(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def python(self, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
        path = os.pathsep.join([str(self.folder), *sys.path])
        environment = {**os.environ, "PYTHONPATH": path, **env}
        words = (sys.executable, *words)
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def called(self, script: str, call: str = "work", value: str = "3", **env: str) -> Tuple[Any, Path, str]:
        """The result of a function of a script in a job, or its error, with the folder and what the job said."""
        path = self.folder / "script.py"
        path.write_text(SCRIPT.format(script=textwrap.dedent(script), call=call, value=value), "utf-8")
        return self.job(str(path), **env)

    def job(self, *script: str, **env: str) -> Tuple[Any, Path, str]:
        made = self.python(*script, str(self.folder))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        folder, name = made.stdout.splitlines()
        job = self.python("-m", "torc_flow.call", folder, name, **env)
        flow = Path(folder)
        if (flow / "results" / name).exists():
            return pickles.result_of(flow, name), flow, job.stderr
        error = flow / "errors" / name
        return (error.read_text("utf-8") if error.exists() else None), flow, job.stderr

    def result(self, script: str, call: str = "work", value: str = "3") -> Any:
        return self.called(script, call, value)[0]

    def refused(self, script: str, call: str = "work", value: str = "3") -> str:
        """The last line of the error at the call."""
        path = self.folder / "script.py"
        path.write_text(SCRIPT.format(script=textwrap.dedent(script), call=call, value=value))
        return self.python(str(path), str(self.folder)).stderr.splitlines()[-1]


class Functions(Sent):
    # https://github.com/cloudpipe/cloudpickle/issues/78, 255 and 581
    def test_a_submodule_is_there_in_the_job_also_through_a_helper_and_by_a_text(self) -> None:
        (self.folder / "own").mkdir()
        (self.folder / "own" / "__init__.py").write_text("")
        (self.folder / "own" / "part.py").write_text("def f(): return 6")
        script = """
            import own.part, xml.etree.ElementTree, concurrent.futures

            def tag(package):
                return package.etree.ElementTree.fromstring("<a/>").tag

            def work(n):
                return own.part.f(), tag(xml), getattr(concurrent, "futures").__name__
        """
        self.assertEqual(self.result(script), (6, "a", "concurrent.futures"))

    def test_a_function_of_a_module_that_runs_imports_from_its_package(self) -> None:
        (self.folder / "own").mkdir()
        (self.folder / "own" / "__init__.py").write_text("")
        (self.folder / "own" / "part.py").write_text("def f(): return 6")
        script = "def work(n):\n    from . import part\n    return part.f()"
        (self.folder / "own" / "run.py").write_text(SCRIPT.format(script=script, call="work", value=1))
        result, _, said = self.job("-m", "own.run")
        self.assertEqual((result, said), (6, ""))

    # https://github.com/dask/distributed/issues/3472 and 6803
    # https://github.com/python-adaptive/adaptive/issues/292
    def test_helpers_are_found_by_processes_of_every_kind(self) -> None:
        script = """
            import concurrent.futures, functools, multiprocessing

            FACTOR = 2

            def helper(n):
                return n * n * FACTOR

            @torc.job
            def decorated(n):
                return helper(n) + 1

            @functools.lru_cache(maxsize=None)
            def fibonacci(n):
                return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

            def work(kind):
                with multiprocessing.get_context(kind).Pool(1) as pool:
                    return [pool.map(each, [5]) for each in (helper, decorated, fibonacci)]

            def executor(n):
                with concurrent.futures.ProcessPoolExecutor(1) as pool:
                    return list(pool.map(helper, [n]))
        """
        for kind in ("fork", "spawn", "forkserver"):
            with self.subTest(kind):
                self.assertEqual(self.result(script, value=repr(kind)), [[50], [51], [5]])
        self.assertEqual(self.result(script, "executor"), [18])

    def test_a_function_that_is_an_argument_is_found_by_processes(self) -> None:
        script = """
            import multiprocessing

            def twice(n):
                return 2 * n

            def work(function):
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    return pool.map(function, [4])
        """
        self.assertEqual(self.result(script, value="twice"), [8])

    # https://github.com/cloudpipe/cloudpickle/issues/178
    # https://github.com/joblib/loky/issues/268
    # https://github.com/ray-project/ray/issues/5766
    def test_cached_and_dispatching_functions_are_what_they_were(self) -> None:
        script = """
            import functools

            @functools.lru_cache(maxsize=7)
            def fibonacci(n):
                return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

            @functools.singledispatch
            def show(value):
                return "any"

            @show.register
            def _(value: int):
                return "whole"

            @show.register(list)
            def _(value):
                return [show(each) for each in value]

            def work(n):
                return fibonacci(n), fibonacci.cache_info().maxsize, show([1, "a"])
        """
        self.assertEqual(self.result(script), (2, 7, ["whole", "any"]))
        self.assertEqual(self.result(script, "fibonacci"), 2)
        self.assertEqual(self.result(script, "show"), "whole")

    def test_a_function_keeps_its_attributes_its_annotations_and_its_name(self) -> None:
        script = """
            from typing import Optional

            class Own:
                pass

            def work(n: int, more: Optional[int] = None, own: Own = None, *, key="k") -> "Own":
                "Says so."
                notes = {name: str(each) for name, each in work.__annotations__.items()}
                return work.calls, notes, work.__doc__, work.__qualname__, key

            work.calls = 5
        """
        calls, notes, text, name, key = self.result(script)
        self.assertEqual((calls, text, name, key), (5, "Says so.", "work", "k"))
        self.assertEqual((notes["n"], notes["own"], notes["return"]), ("<class 'int'>", "Own", "Own"))
        self.assertIn("int", notes["more"])

    def test_functions_of_a_script_share_their_variables(self) -> None:
        script = """
            COUNT, ROWS = 0, []
            SAME = ROWS

            def add():
                global COUNT
                COUNT += 1
                ROWS.append(COUNT)

            def work(n):
                add(), add()
                return COUNT, SAME, __file__.rpartition("/")[2], __name__
        """
        self.assertEqual(self.result(script), (2, [1, 2], "script.py", "__main__"))

    def test_a_function_may_have_any_name_and_be_of_any_kind(self) -> None:
        script = """
            import asyncio, functools

            def main(n):
                return n + 1

            async def later(n):
                return n

            def each(n):
                yield from range(n)

            def even(n):
                return n == 0 or odd(n - 1)

            def odd(n):
                return n != 0 and even(n - 1)

            def work(more, n):
                return main(n) + more, asyncio.run(later(n)), list(each(n)), (lambda: even(n))()
        """
        self.assertEqual(self.result(script, "functools.partial(work, 1)"), (5, 3, [0, 1, 2], False))

    def test_a_function_that_a_decorator_of_a_module_wraps_has_the_variables_of_both(self) -> None:
        (self.folder / "decorators.py").write_text(
            textwrap.dedent(
                """
                import functools, threading

                lock = threading.Lock()

                def locked(function):
                    @functools.wraps(function)
                    def wrapper(*args):
                        with lock:
                            return function(*args)
                    return wrapper
                """
            )
        )
        script = """
            from decorators import locked

            FACTOR = 2

            @locked
            def work(n):
                return n * FACTOR
        """
        self.assertEqual(self.result(script), 6)

    def test_a_variable_that_has_no_value_yet_is_no_error_at_the_call(self) -> None:
        script = """
            def outer():
                def inner(n):
                    return n if n > 0 else later
                return inner
                later = 1

            work = outer()
        """
        self.assertEqual(self.result(script), 3)


class Refused(Sent):
    # https://github.com/dask/distributed/issues/780 and 2366
    def test_a_variable_that_cannot_be_sent_is_named_at_the_call_with_what_to_do(self) -> None:
        script = """
            import threading

            CONFIG = {"a": [1, {"lock": threading.Lock()}]}

            def work(n):
                return CONFIG

            def other(n):
                return work(n)

            def outer(file):
                return lambda n: file
        """
        error = self.refused(script)
        self.assertRegex(error, r"PicklingError: work: the variable CONFIG\['a'\]\[1\]\['lock'\] of work cannot be sent: .*lock")
        self.assertIn("Let the function make CONFIG itself", error)
        self.assertIn("the variable CONFIG['a'][1]['lock'] of work cannot be sent", self.refused(script, "other"))
        self.assertIn("the variable file of <lambda> cannot be sent", self.refused(script, "outer(sys.stdin)"))

    def test_a_value_that_is_nested_too_deep_is_named(self) -> None:
        script = """
            deep = []
            for _ in range(100_000):
                deep = [deep]

            def work(n):
                return deep
        """
        self.assertRegex(self.refused(script), r"work: the variable deep of work cannot be sent: .*(recursion|overflow)")

    def test_an_argument_that_cannot_be_sent_is_named_at_the_call(self) -> None:
        def work(value: Any, more: Any = None) -> None: ...

        with torc.Workflow("arguments", self.folder):
            with self.assertRaisesRegex(Exception, r"work: argument 1\['file'\] cannot be sent"):
                torc.job(work)({"file": sys.stdin})
            with self.assertRaisesRegex(Exception, r"work: the argument more cannot be sent"):
                torc.job(work)(1, more=sys.stdin)
            with self.assertRaisesRegex(Exception, r"work: argument 1 of partial\(work\) cannot be sent"):
                torc.map(functools.partial(work, sys.stdin), [1])

    def test_a_class_of_a_script_is_refused_by_its_name(self) -> None:
        script = """
            class Own:
                pass

            def work(n):
                return Own()
        """
        self.assertRegex(self.refused(script), "the variable Own of work cannot be sent: the class Own .* a file of its own$")

    def test_a_module_without_a_file_is_refused_by_its_name(self) -> None:
        script = """
            import types

            made = types.ModuleType("made")

            def work(n):
                return made
        """
        self.assertIn("the variable made of work cannot be sent: the module made was made by a program", self.refused(script))

    # https://github.com/Parsl/parsl/issues/1480
    def test_a_result_that_cannot_be_sent_is_named_in_the_error_of_the_job(self) -> None:
        script = """
            import threading

            def work(n):
                return {"x": [threading.Lock()]}
        """
        error = self.result(script)
        self.assertIn("work: the result['x'][0] cannot be sent", error)
        self.assertIn("Let the function return what it consists of", error)


class Large(Sent):
    def made(self, calls: int, function: Any, *args: Any) -> Tuple[torc.Workflow, List[str]]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with torc.Workflow("large", self.folder) as flow:
                for n in range(calls):
                    torc.job(function)(*args, n)
        return flow, [str(each.message) for each in said]

    def sizes(self, flow: torc.Workflow, kind: str) -> Dict[str, int]:
        return {path.name: path.stat().st_size for path in (flow.folder / kind).iterdir()}

    # https://github.com/dask/distributed/pull/1636
    # https://github.com/facebookincubator/submitit/pull/1786
    def test_a_large_variable_or_argument_is_stored_once_and_read_by_each_call(self) -> None:
        table = bytes(range(256)) * 8192

        def work(rows: Any, n: int) -> Any:
            return len(table), len(rows[0][0]), rows[1], n

        flow, said = self.made(20, work, ([[0.5] * 300_000], "a"))
        self.assertEqual((len(self.sizes(flow, "large")), said), (2, []))
        self.assertLess(sum(self.sizes(flow, "calls").values()), 20 * 3000)
        for name in (flow.tasks[0].name, flow.tasks[19].name):
            self.python("-m", "torc_flow.call", str(flow.folder), name)
        self.assertEqual(flow.tasks[19].result(), (2_097_152, 300_000, "a", 19))

    def test_large_values_are_named_once_with_their_size_and_small_ones_are_not(self) -> None:
        table = b"x" * 12_000_000

        def work(n: int) -> int:
            return len(table)

        flow, said = self.made(3, work)
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r"^work_1: the variable table of work has 12 MB in .*/large/\w+, and each job")

    def test_a_large_value_of_objects_is_stored_once_and_stays_one_object(self) -> None:
        points: List[Any] = [types.SimpleNamespace(x=n, y=-n) for n in range(120_000)]
        points.append(points)

        def work(given: Any, n: int) -> Any:
            return given[-1] is given, len(given)

        flow, _ = self.made(2, work, points)
        self.assertEqual(len(self.sizes(flow, "large")), 1)
        self.python("-m", "torc_flow.call", str(flow.folder), flow.tasks[0].name)
        self.assertEqual(flow.tasks[0].result(), (True, 120_001))

    def test_equal_values_are_two_objects_in_a_job_and_one_value_is_one(self) -> None:
        first, second = [0] * 1_000_000, [0] * 1_000_000

        def work(one: Any, other: Any, same: Any, n: int) -> Any:
            one[0] = 1
            return other[0], same[0]

        flow, _ = self.made(1, work, first, second, first)
        self.python("-m", "torc_flow.call", str(flow.folder), flow.tasks[0].name)
        self.assertEqual(flow.tasks[0].result(), (0, 1))

    def test_a_variable_that_changes_between_calls_has_the_value_of_each_call(self) -> None:
        table = bytearray(2_000_000)

        def work(n: int) -> int:
            return table[0]

        with torc.Workflow("changes", self.folder) as flow:
            for n in (1, 2):
                table[0] = n
                torc.map(work, [n])
        for task in flow.tasks:
            self.python("-m", "torc_flow.call", str(flow.folder), task.name)
        self.assertEqual([task.result() for task in flow.tasks], [1, 2])


class Errors(Sent):
    # https://github.com/ray-project/ray/issues/1183
    # https://github.com/deepmodeling/dflow/issues/445
    def test_a_job_in_another_python_than_its_script_says_so(self) -> None:
        with torc.Workflow("another", self.folder) as flow:
            (task,) = torc.map(len, ["abc"])
        path = flow.folder / "calls" / task.name
        path.write_bytes(b"cpython-27" + path.read_bytes()[path.read_bytes().index(b"\n") :])
        self.python("-m", "torc_flow.call", str(flow.folder), task.name)
        self.assertRegex(task.error() or "", "RuntimeError: the script ran in cpython-27, and .* of this machine is cpython-3")

    # https://github.com/Parsl/parsl/issues/546
    def test_errors_that_are_no_exception_keep_their_traceback(self) -> None:
        for kind in ("KeyboardInterrupt", "GeneratorExit", "type('Own', (BaseException,), {})", "SystemExit"):
            with self.subTest(kind):
                error = self.result(f"def work(n):\n    raise ({kind})('this')")
                self.assertRegex(error, r"^Traceback(.|\n)*in work\n(.|\n)*: this\n$")

    def test_a_text_that_is_no_unicode_keeps_its_traceback_whatever_the_locale_is(self) -> None:
        script = "def work(n):\n    raise ValueError('a\\udcff \\xe4')"
        for env in ({}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}):
            error, _, said = self.called(script, **env)
            self.assertIn("ValueError: a\\udcff \xe4", error)
            self.assertIn("ValueError: a\\udcff", said)

    # https://github.com/ray-project/ray/issues/4149
    def test_an_error_that_cannot_say_what_it_is_keeps_its_traceback(self) -> None:
        (self.folder / "errors.py").write_text("class Bad(Exception):\n    def __str__(self):\n        raise RuntimeError\n")
        script = """
            import errors

            def work(n):
                raise errors.Bad
        """
        self.assertRegex(self.result(script), r"^Traceback(.|\n)*in work\n(.|\n)*errors.Bad: <.*>")

    def test_an_error_whose_class_needs_arguments_is_a_traceback(self) -> None:
        script = """
            import subprocess

            def work(n):
                subprocess.run(["false"], check=True)
        """
        self.assertRegex(self.result(script), r"CalledProcessError: Command .*'false'.* returned non-zero exit status 1")


class Unpickling(unittest.TestCase):
    # https://github.com/python/cpython/issues/125631: each call, too, in Python 3.13.0.
    def test_a_name_of_a_task_stands_for_its_result(self) -> None:
        data = pickles.dumps([1, print], lambda each: "task" if each is print else None)
        self.assertEqual(pickles.loads(data, lambda name: f"the result of {name}"), [1, "the result of task"])

    def test_a_result_leaves_the_variables_of_the_script_as_they_are(self) -> None:
        space: Dict[str, Any] = {"__name__": "__main__"}
        exec("N = 1\ndef f(): return N", space)
        data = pickles.dumps(space["f"], lambda _: None)
        main = vars(sys.modules["__main__"])
        with contextlib.ExitStack() as stack:
            stack.callback(main.pop, "N", None)
            main["N"] = 5
            self.assertEqual((pickles.loads(data, lambda name: name)(), main["N"]), (1, 5))


if __name__ == "__main__":
    unittest.main()

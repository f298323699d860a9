"""The tests of torc_flow, with a real `torc` on PATH; tests/clients/torc-flow.test.ts runs them."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any, List

import torc_flow as torc
from torc_flow import pickles


def scaled(value: int) -> int:
    return value * 10


@torc.job
def decorated(value: int) -> int:
    return scaled(value)


def through_pickle(value: Any) -> Any:
    return pickles.loads(pickles.dumps(value, lambda _: None), lambda name: name)


class Pickles(unittest.TestCase):
    def test_functions_of_modules_are_pickled_by_name(self) -> None:
        self.assertIs(through_pickle(scaled), scaled)
        self.assertIs(through_pickle(decorated.function), decorated.function)

    def test_functions_without_a_name_are_pickled_with_what_they_use(self) -> None:
        factor = 3

        def fact(n: int) -> int:
            return 1 if n == 0 else n * fact(n - 1)

        self.assertEqual(through_pickle(lambda n, more=1: scaled(n) * factor + more)(2), 61)
        self.assertEqual(through_pickle(fact)(5), 120)

    def test_what_cannot_be_pickled_is_refused_before_anything_runs(self) -> None:
        with self.assertRaises((pickle.PicklingError, TypeError)):
            pickles.dumps(sys.stdin, lambda _: None)

    def test_a_file_is_written_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pickles.write(Path(folder) / "a", b"text")
            self.assertEqual(os.listdir(folder), ["a"])


class Flows(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name

    def script(self, text: str) -> List[str]:
        path = Path(self.folder) / "script.py"
        path.write_text("import torc_flow as torc\n" + textwrap.dedent(text))
        return [sys.executable, str(path)]

    def test_a_script_gets_the_results_of_its_own_functions(self) -> None:
        script = self.script(
            """
            SCALE = 10

            @torc.job
            def square(n):
                return n * n * SCALE

            @torc.job(cpus=1, memory="200m", runtime="PT5M")
            def total(parts):
                return sum(parts)

            with torc.Workflow("sums") as flow:
                whole = total(torc.map(square, range(4)))
            print(flow.run().tasks[-1].result(), square(2))
            """
        )
        ran = subprocess.run(script, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "140 40\n", ""))

    def test_an_exception_arrives_with_its_traceback_and_the_other_results_stay(self) -> None:
        with torc.Workflow("halves", self.folder) as flow:
            halves = torc.map(lambda n: 6 // n, [1, 0, 2])
        with self.assertRaisesRegex(torc.Failed, "1 of 3 tasks have no result(.|\n)*ZeroDivisionError"):
            flow.run()
        self.assertEqual([task.result() for task in (halves[0], halves[2])], [6, 3])
        with self.assertRaisesRegex(torc.Failed, "ZeroDivisionError"):
            halves[1].result()
        self.assertEqual([job["name"] for job in flow.spec()["jobs"]], [halves[1].name])

    def test_a_call_that_takes_longer_than_its_timeout_is_ended_and_others_are_not(self) -> None:
        for url in [None, os.environ.get("TORC_TEST_URL")]:
            with torc.Workflow("hangs", self.folder) as flow:
                limited = torc.job(time.sleep, timeout="PT2S")
                slow, quick = flow.add(limited, (600,), {}), flow.add(limited, (0,), {})
            with self.assertRaisesRegex(torc.Failed, "1 of 2 tasks have no result"):
                flow.run(url)
            self.assertEqual((slow.is_done(), quick.is_done()), (False, True))

    def test_a_function_that_exits_has_no_result_and_no_warning_of_python_beside_its_error(self) -> None:
        with torc.Workflow("exits", self.folder) as flow:
            (task,) = torc.map(lambda code: sys.exit(code), [0])
        with self.assertRaisesRegex(torc.Failed, "1 of 1 tasks have no result; .*_1:(.|\n)*SystemExit: 0"):
            flow.run()
        (said,) = (flow.folder / "output" / "job_stdio").glob("*.e")
        self.assertEqual(said.read_text(), task.error())

    def test_a_function_that_ends_python_has_no_result_and_what_waits_for_it_does_not_start(self) -> None:
        for url in [None, os.environ.get("TORC_TEST_URL")]:
            with torc.Workflow("ends", self.folder) as flow:
                # Not sys.exit: nothing of Python is reached.
                (first,) = torc.map(lambda n: os._exit(n), [0])
                second = decorated(first)
            with self.assertRaisesRegex(torc.Failed, "2 of 2 tasks have no result"):
                flow.run(url)
            self.assertEqual((first.error(), second.error()), (None, None))
            log = flow.log.read_text()
            self.assertRegex(log, f"{first.name} .*failed")
            self.assertEqual(len(list((flow.folder / "output" / "job_stdio").glob("*.e"))), 1)

    def test_an_error_that_is_no_exception_arrives_with_its_traceback(self) -> None:
        def stop(n: int) -> None:
            raise KeyboardInterrupt(f"at {n}")

        with torc.Workflow("stops", self.folder) as flow:
            torc.map(stop, [1])
        with self.assertRaisesRegex(torc.Failed, "in stop\n(.|\n)*KeyboardInterrupt: at 1"):
            flow.run()

    def test_a_task_of_another_workflow_is_refused(self) -> None:
        with torc.Workflow("first", self.folder):
            task = decorated(1)
        with torc.Workflow("second", self.folder), self.assertRaisesRegex(ValueError, "another workflow"):
            decorated(task)

    def test_a_workflow_without_tasks_has_nothing_to_run(self) -> None:
        self.assertEqual(torc.map(scaled, [], progress=False), [])

    @unittest.skipUnless("TORC_TEST_URL" in os.environ, "TORC_TEST_URL names no server")
    def test_a_workflow_is_created_on_a_server_by_its_routes(self) -> None:
        with torc.Workflow("served", self.folder) as flow:
            first = torc.map(scaled, [1, 2])
            last = decorated(first[1])
            both = decorated(last)
        flow.run(os.environ["TORC_TEST_URL"])
        self.assertEqual([task.result() for task in first], [10, 20])
        self.assertEqual((last.result(), both.result()), (200, 2000))

    def test_a_server_that_does_not_answer_is_reported(self) -> None:
        with torc.Workflow("unreachable", self.folder) as flow:
            decorated(1)
        with self.assertRaisesRegex(torc.ServiceError, "does not answer"):
            flow.run("http://127.0.0.1:9/torc-service/v1")

    def test_ctrl_c_ends_the_jobs(self) -> None:
        self.interrupted("")

    def test_a_second_ctrl_c_kills_jobs_that_do_not_end(self) -> None:
        self.interrupted("signal.signal(signal.SIGTERM, signal.SIG_IGN)", times=2)

    def interrupted(self, first: str, times: int = 1) -> None:
        script = self.script(
            f"""
            import os, signal, time

            def sleep(path):
                {first}
                with open(path, "w") as pipe:
                    pipe.write(str(os.getpid()))
                time.sleep(600)

            torc.map(sleep, ["started"])
            """
        )
        started = Path(self.folder) / "started"
        os.mkfifo(started)
        program = subprocess.Popen(script, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        job = int(started.read_text())
        program.send_signal(signal.SIGINT)
        if times > 1:
            while "Press again" not in "".join(log.read_text() for log in Path(self.folder).glob("torc_flow/*/run.log")):
                time.sleep(0.05)
            program.send_signal(signal.SIGINT)
        _, errors = program.communicate()
        self.assertIn("KeyboardInterrupt", errors)
        with self.assertRaises(ProcessLookupError):
            os.kill(job, 0)


if __name__ == "__main__":
    unittest.main()

"""What every exporter has to keep to, as tests that the author of a plugin can run.

    from heteroopt.deployment.conformance import ExporterConformance

    class TestOurs(ExporterConformance):
        exporter = EXPORTER

        def requests(self):
            return [...]

Each ``test_`` method asserts one promise; pytest finds them. ``requests`` gives plans, some of which the format may
refuse, but not all.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heteroopt.deployment.export_files import check_paths, write_folder, write_tar_gz, write_zip
from heteroopt.deployment.export_manifest import manifest_file, read_manifest
from heteroopt.deployment.export_plan import refusals_of
from heteroopt.deployment.exporting import Coverage, Exporter, ExportFile, ExportRequest
from heteroopt.errors import HeteroOptError

EXPRESSIONS = frozenset(("placement", "order", "precision", "segments", "times", "reasons"))


class ExporterConformance:
    """Subclass it and set ``exporter`` and ``requests``."""

    exporter: Exporter

    def requests(self) -> Sequence[ExportRequest]:
        """Return plans to export, at least one of which the format takes."""
        raise AssertionError("Give requests() plans that the format should take or refuse.")

    def accepted(self) -> list[ExportRequest]:
        """Return those that the format does not refuse."""
        found = [request for request in self.requests() if not refusals_of(self.exporter, request)]
        assert found, "the format refuses all plans of the test"
        return found

    def files(self, request: ExportRequest) -> tuple[ExportFile, ...]:
        """Return the files with their manifest."""
        export = self.exporter.export(request)
        return (*export.files, manifest_file(self.exporter, request, export))

    def test_it_describes_itself(self) -> None:
        """A page and a command line can offer it."""
        exporter = self.exporter
        assert re.fullmatch(r"[a-z][a-z0-9-]*", exporter.key)
        assert exporter.engine.strip() and exporter.versions.strip()
        assert exporter.expresses and set(exporter.expresses) <= EXPRESSIONS
        assert all(option.name.strip() and option.meaning.strip() for option in exporter.options)
        assert len({option.name for option in exporter.options}) == len(exporter.options)

    def test_refusals_have_a_reason_and_say_what_to_do(self) -> None:
        """A code that can be translated, a sentence, and a hint."""
        for request in self.requests():
            for refusal in refusals_of(self.exporter, request):
                assert re.fullmatch(r"[a-z][a-z0-9_]*", refusal.code)
                assert refusal.message.strip() and refusal.hint.strip()

    def test_an_unknown_option_is_refused(self) -> None:
        """A misspelt option must not be passed over."""
        request = replace(self.requests()[0], options={"no-such-option": "1"})
        assert "export_option_unknown" in {refusal.code for refusal in refusals_of(self.exporter, request)}

    def test_a_missing_model_is_refused_where_it_is_needed(self) -> None:
        """And only there."""
        request = replace(self.requests()[0], model_path=None)
        codes = {refusal.code for refusal in refusals_of(self.exporter, request)}
        assert ("export_needs_model" in codes) == self.exporter.needs_model

    def test_the_same_plan_gives_the_same_bytes(self) -> None:
        """No times, no random names, no order of a set."""
        for request in self.accepted():
            assert [_bytes(file) for file in self.files(request)] == [_bytes(file) for file in self.files(request)]

    def test_every_operator_is_expressed_or_named(self) -> None:
        """Nothing of the plan is lost silently."""
        for request in self.accepted():
            coverage = self.exporter.export(request).coverage
            assert coverage.planned == len(request.plan.original.operators)
            assert coverage.expressed + len(coverage.unmatched) == coverage.planned

    def test_paths_are_safe_and_tell_nothing(self) -> None:
        """Relative, plain, different without case; no folder of this machine inside the files' names."""
        for request in self.accepted():
            check_paths(self.files(request))

    def test_what_is_written_is_read_again(self) -> None:
        """From a folder with checksums, and from both kinds of archives with the same bytes each time."""
        for request in self.accepted():
            files = self.files(request)
            for write in (write_zip, write_tar_gz):
                first, second = io.BytesIO(), io.BytesIO()
                write(files, first)
                write(files, second)
                assert first.getvalue() == second.getvalue()
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch) / "export"
                write_folder(files, folder)
                read_manifest(folder)
                coverage = self.exporter.check(folder)
                assert isinstance(coverage, Coverage)
                assert coverage.planned == len(request.plan.original.operators)

    def test_damage_is_noticed(self) -> None:
        """An empty file in place of each but the manifest, and a missing one, raise an error with a code."""
        request = self.accepted()[0]
        files = self.files(request)
        for damaged in files[:-1][:8]:
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch) / "export"
                write_folder(files, folder)
                (folder / damaged.path).write_bytes(b"\x00")
                _raises(folder)
                (folder / damaged.path).unlink()
                _raises(folder)


def _raises(folder: Path) -> None:
    try:
        read_manifest(folder)
    except HeteroOptError:
        return
    raise AssertionError("a damaged export passed its checksums")


def _bytes(file: ExportFile) -> tuple[str, bytes]:
    return file.path, file.data if isinstance(file.data, bytes) else file.data.read_bytes()

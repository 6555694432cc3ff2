"""For tests of what stands on this package, and of backends: fakes and a conformance kit.

Needs neither a multiplexer nor a test framework.
"""

from __future__ import annotations

from tongs_mux.testing.conformance import CHECKS
from tongs_mux.testing.fake import FakeBackend
from tongs_mux.testing.fake_processes import FakeProcesses
from tongs_mux.testing.fake_server import FakeServer
from tongs_mux.testing.rig import NotApplicable, Rig

__all__ = ["CHECKS", "FakeBackend", "FakeProcesses", "FakeServer", "NotApplicable", "Rig"]

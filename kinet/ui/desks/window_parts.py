"""The parts a window is put together from, handed to those who act on several of them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QMainWindow

from kinet.ui.desks.file_desk import FileDesk
from kinet.ui.desks.model_desk import ModelDesk
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.desks.step_desk import StepDesk
from kinet.ui.frame.window_frame import WindowFrame
from kinet.ui.kit.toast import Toast
from kinet.ui.look.look import Look
from kinet.ui.sessions.sidebar import Sidebar


@dataclass(frozen=True, slots=True)
class WindowParts:
    """One window's parts; they live as long as `window`."""

    window: QMainWindow
    frame: WindowFrame
    sidebar: Sidebar
    desk: SessionDesk
    steps: StepDesk
    models: ModelDesk
    files: FileDesk
    look: Look
    toast: Toast

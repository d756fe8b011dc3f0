"""Nothing is cut in silence: each screen in a narrow window, with larger text, with long words.

What has no room ends in "…" and says itself whole as a tooltip; pages never scroll sideways.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QWidget
from shiboken6 import isValid

from kinet.core.profile import ModelProfile
from kinet.settings.schema import sections
from kinet.settings.store import SettingsStore
from kinet.ui.desks.link_question import LinkQuestion
from kinet.ui.desks.undo_question import UndoQuestion
from kinet.ui.desks.unsandboxed_question import UnsandboxedQuestion
from kinet.ui.palette.palette import Palette
from kinet.ui.servers.server_form import JSON
from kinet.ui.servers.servers_view import ServersView
from kinet.ui.servers.value_rows import KEPT
from kinet.ui.window.close_question import CloseQuestion, Unfinished
from tests.skills.skill_kit import ten_skills, write_skill
from tests.support.cut_texts import cut_texts
from tests.support.fake_servers import FakeServers, Server, Tool, Tried
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

LONG = "请把第三季度华东华南西南华北各地区的销售表格逐月汇总比较并写成一页摘要附上柱状图和退货记录"
MODEL = "通义千问大模型企业版（华东机房私有部署）"
COMMAND = (
    "python tools/by_region.py --input 季度报告 --output summary.md --verbose && rm -rf 旧的汇总"
)

# Width and height of the window, zoom in percent: the least, larger text, the usual, the largest.
SIZES = [(720, 520, 100), (760, 800, 150), (1200, 800, 100), (900, 700, 200)]


def test_the_search_for_cut_words_finds_them(app: QApplication) -> None:
    from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton

    page = QWidget()
    row = QHBoxLayout(page)
    for part in (QLabel("a label that has no room"), QPushButton("a button that has none")):
        part.setFixedWidth(40)
        row.addWidget(part)
    over = QLabel("over it", page)
    over.setGeometry(row.itemAt(0).widget().geometry())
    page.show()
    over.setGeometry(page.findChildren(QLabel)[0].geometry())
    found = "\n".join(cut_texts(page))
    assert "“a label that has no room” is cut" in found
    assert "“a button that has none” is cut" in found
    assert "lie over each other" in found
    page.close()


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}-at-{size[2]}")
async def live(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LiveWindow]:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    width, height, zoom = request.param
    home, folder = tmp_path / "home", tmp_path / "季度报告与门店销售明细汇总资料文件夹"
    folder.mkdir()
    ten_skills(home)
    write_skill(home / "skills", "ji-du-hui-zong", description=LONG)
    count = "for i in $(seq 1 400); do echo 测试 $i 通过; done"
    with ScriptedServer(
        asks_for("shell", command=count), says(f"好的，{LONG}"), asks_for("shell", command=COMMAND),
        asks_for("ask_user", question=f"{LONG}？", choices=[LONG, "先问门店经理"]), says("好。"),
    ) as server:  # fmt: skip
        settings = SettingsStore(home)
        settings.save_profile(ModelProfile(MODEL, server.base_url, "qwen", window=128_000))
        settings.set("appearance.zoom", zoom)
        async with live_window(home, folder=folder, approve="ask") as opened:
            opened.window.resize(width, height)
            yield opened


async def _whole(window: QWidget, what: str = "") -> None:
    """Returns when nothing is cut; what is read in a thread may come and be laid out first."""
    for _ in range(40):
        found = cut_texts(window)
        if not found:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{what}: {found}")


async def _settled(live: LiveWindow) -> None:
    await until(live.panel.transcript.is_idle)
    await asyncio.sleep(0.02)


def _act(live: LiveWindow, name: str) -> None:
    action = live.window.findChild(QAction, name)
    assert isinstance(action, QAction)
    action.trigger()


async def test_the_conversation_its_questions_and_the_panel_are_whole(live: LiveWindow) -> None:
    window = live.window
    await live.say(LONG)
    card = await live.question()
    await _settled(live)
    await _whole(window)
    await live.allow()
    await live.ended()
    live.panel.transcript.open_step(0)
    await until(lambda: window.parts.frame.panel_shown)
    detail = window.parts.steps.detail
    for tab in range(detail.tabs.count()):
        detail.tabs.setCurrentIndex(tab)
        await _settled(live)
        await _whole(window)
    _act(live, "toggle_panel")
    await live.say("再来")
    card = await live.question()
    for name in ("alwaysButton", "denyReasonButton"):
        button = card.findChild(QAbstractButton, name)
        assert button is not None
        button.click()
        await _settled(live)
        await _whole(window)
    live.type(f"{LONG}，颜色要和公司模板一致")
    live.press("sendButton")
    await _settled(live)
    await _whole(window)
    await live.answer("approveButton")
    await until(live.panel.questions.cards, what="the model asks")
    await _settled(live)
    await _whole(window)
    live.panel.stop()
    await live.ended()


async def test_every_page_of_the_settings_is_whole(live: LiveWindow) -> None:
    for page in sections():
        live.window.parts.models.open_settings(page)
        dialog = live.window.findChild(QDialog, "settingsDialog")
        assert isinstance(dialog, QDialog)
        await asyncio.sleep(0.05)
        await _whole(dialog, page)
        area = dialog.pages[page].area  # type: ignore[attr-defined]
        assert area.horizontalScrollBar().maximum() == 0, page
    dialog.close()


async def test_servers_and_their_form_are_whole(live: LiveWindow) -> None:
    name = "company-documents-and-invoices-2"
    tools = tuple(Tool(f"{LONG[:20]}_{n}", LONG * 3, 12_345, read_only=True) for n in range(12))
    line = f"npx -y @company/documents --root '/home/me/{LONG}'  (sets DOCUMENTS_TOKEN, MODE)"
    failed = Tried(False, f"{LONG}。", "Try the same line in a terminal.", f"{LONG}\n" * 20, 127)
    servers = FakeServers(
        [
            Server(name, line, "ready", tools=tools, title=f"{LONG} 1.4.2", notes=(f"{LONG}。",)),
            Server("bad", line, "failed", reason=failed.reason, hint=failed.hint,
                   stderr=failed.stderr, exit_code=127),
            *(Server(f"server-{n}", f"https://{n}.example/mcp", kind="http") for n in range(6)),
            Server("lint", line, "trust", "folder", reason="It is not trusted.", folder=f"/{LONG}"),
        ],
        {name: {"command": "npx", "args": [LONG], "env": {"DOCUMENTS_TOKEN": KEPT}, "cwd": LONG}},
        trial=lambda progress: _answer(failed),
    )  # fmt: skip
    live.window.program.services.servers = servers
    live.window.parts.models.open_settings("mcp")
    dialog = live.window.findChild(QDialog, "settingsDialog")
    view = live.window.findChild(ServersView)
    assert isinstance(dialog, QDialog)
    assert isinstance(view, ServersView)
    await until(lambda: len(view.items) == 9)
    await _whole(dialog, "servers")
    for item in view.items:
        item.unfold()
    first = view.items[0].details
    assert first is not None
    first.tools.view.setCurrentIndex(first.tools.rows.index(0, 0))
    await _whole(dialog, "servers unfolded")
    assert dialog.pages["mcp"].area.horizontalScrollBar().maximum() == 0  # type: ignore[attr-defined]
    for edited in (name, None):
        form = view.open_form(edited)
        assert live.window.frameGeometry().contains(form.geometry())
        await _whole(form, "form")
        form.fields.command.setText("npx")
        form.name.setText(edited or "another")
        form.test.click()
        await until(form.strip.wrote.isVisible)
        await _whole(form, "a trial that failed")
        form.kind.buttons["http"].click()
        form.fields.address.setText("https://docs.example/mcp")
        form.fields.headers.add.click()
        await _whole(form, "address")
        if JSON in form.kind.buttons:
            form.kind.buttons[JSON].click()
            form.pasted.text.setPlainText(f'{{"a": {{"command": "npx", "args": ["{LONG}"]}}}}')
            form.pasted.look()
            await _whole(form, "pasted")
        form.save_button.click()
        await until(lambda form=form: not isValid(form) or not form.isVisible())
    dialog.close()


async def _answer(tried: Tried) -> Tried:
    return tried


async def test_dialogs_and_lists_are_whole_and_within_the_window(live: LiveWindow) -> None:
    window = live.window
    for name in ("keys", "rules", "background"):
        _act(live, name)
        await until(lambda: _dialogs(window), what=name)
        await asyncio.sleep(0.05)
        (dialog,) = _dialogs(window)
        await _whole(dialog, name)
        assert window.frameGeometry().contains(dialog.geometry()), name
        dialog.close()
    for question in (
        CloseQuestion(Unfinished(turn=True, commands=(COMMAND,)), window),
        LinkQuestion("https://example.org/" + "很长的路径/" * 12, window),
        UnsandboxedQuestion("bubblewrap is not installed", window),
        UndoQuestion([_Changed(f"季度报告/{LONG}.csv"), _Changed("b.md")], window),
    ):
        question.open()
        await asyncio.sleep(0.02)
        await _whole(question, type(question).__name__)
        question.close()
    _act(live, "palette")
    palette = window.findChild(Palette)
    assert isinstance(palette, Palette)
    await _whole(window)
    palette.close_palette()


@pytest.mark.parametrize(("width", "height", "zoom"), SIZES)
@pytest.mark.parametrize("page", ["welcomePage", "trustPage"])
async def test_the_pages_of_the_beginning_are_whole_and_end_where_the_composer_does(
    tmp_path: Path, page: str, width: int, height: int, zoom: int
) -> None:
    home, folder = tmp_path / "home", tmp_path / "季度报告与门店销售明细汇总资料文件夹"
    folder.mkdir()
    (folder / "AGENTS.md").write_text(f"{LONG}\u200b\n" * 30, encoding="utf-8")
    settings = SettingsStore(home)
    settings.set("appearance.zoom", zoom)
    if page == "trustPage":
        settings.save_profile(ModelProfile(MODEL, "http://127.0.0.1:9/v1", "qwen"))
    async with live_window(home, folder=folder) as live:
        live.window.resize(width, height)
        shown = live.window.findChild(QWidget, page)
        assert isinstance(shown, QWidget)
        await until(shown.isVisible)
        await _whole(live.window, page)
        composer = live.panel.composer.box
        column = max(
            (tile for tile in shown.findChildren(QWidget) if tile.isVisible()),
            key=lambda tile: tile.width() if tile.maximumWidth() == 720 else 0,
        )
        await until(lambda: abs(_right(column) - _right(composer)) <= 1, what="both end alike")


def _right(widget: QWidget) -> int:
    return widget.mapToGlobal(widget.rect().topRight()).x()


@dataclass(frozen=True)
class _Changed:
    """A file that was changed since."""

    path: str
    answers: tuple[str, ...] = ("keep", "restore", "merge")

    @property
    def shown(self) -> str:
        return self.path


def _dialogs(window: QWidget) -> list[QDialog]:
    return [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]

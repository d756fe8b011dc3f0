"""The small patches that bring a known fault of such windows back.

Each edit is (file, a piece of the code as it is now, what stands there then). A piece that is not
found any more has to be written anew.
"""

from __future__ import annotations

from collections.abc import Mapping

Edit = tuple[str, str, str]
Patch = tuple[Edit, ...]

# fault: the patches that bring it back, each alone
PATCHES: Mapping[int, tuple[Patch, ...]] = {
    1: (
        (
            (
                "kinet/ui/transcript/blocks/block_list.py",
                "        tail = self.tail\n"
                "        if tail is not None:\n"
                "            self.drop_tail()\n",
                "        tail = self.tail\n"
                "        for piece in self.pieces:\n"
                "            piece.drop()\n"
                "        if tail is not None:\n"
                "            self.drop_tail()\n",
            ),
        ),
    ),
    2: (
        (
            (
                "kinet/ui/transcript/blocks/pieces.py",
                "        self.trim(self.limit)\n",
                "",
            ),
        ),
    ),
    3: (
        (
            (
                "kinet/ui/transcript/entries/text_entry.py",
                "        if self.blocks is None:\n            letters",
                '        self._split_until(float("inf"))\n'
                "        if self.blocks is None:\n"
                "            letters",
            ),
        ),
    ),
    7: (
        (
            (
                "kinet/ui/transcript/stage/follow.py",
                "        self._set_below(not self.following)\n",
                "        self._set(True)\n",
            ),
        ),
    ),
    8: (
        (
            (
                "kinet/ui/transcript/stage/stage.py",
                "            self.eye.return_to(anchor)\n            top = self.bar.value()",
                "            top = self.bar.value()",
            ),
            (
                "kinet/ui/transcript/stage/stage.py",
                "                self.eye.set_range(self.height)\n"
                "                self.eye.return_to(anchor)\n",
                "                self.eye.set_range(self.height)\n",
            ),
        ),
    ),
    9: (
        (
            (
                "kinet/markup/blocks.py",
                "            return self.tail\n        match = _UNDECIDED",
                '            return Block(self._tail, "prose")\n        match = _UNDECIDED',
            ),
        ),
    ),
    10: (
        (
            (
                "kinet/ui/writing/composer_edit.py",
                "        return bool(self._preedit) or time.monotonic() - sel"
                "f._committed_at < COMMIT_GRACE",
                "        return False",
            ),
        ),
    ),
    11: (
        (
            (
                "kinet/ui/writing/composer_edit.py",
                "        if event.key() == Qt.Key.Key_Escape and self.composing:\n",
                "        if event.key() == Qt.Key.Key_Escape and self.composing and False:\n",
            ),
        ),
    ),
    20: (
        (
            (
                "kinet/markup/visible.py",
                '    return _SURROGATES.sub("\\ufffd", _CONTROLS.sub(_symbol, '
                "without_escapes(text)))",
                "    return _CONTROLS.sub(_symbol, without_escapes(text))",
            ),
        ),
    ),
    21: (
        (
            (
                "kinet/markup/render.py",
                "margin-right:0;line-height:{line}px",
                "margin-right:0",
            ),
        ),
    ),
    22: (
        (
            (
                "kinet/ui/look/tokens.py",
                "    return tuple(family for name in order for family in _CJK_FAMILIES[name])",
                "    return ()",
            ),
        ),
    ),
    23: (
        (
            (
                "kinet/ui/transcript/blocks/documents.py",
                "    option.setTextDirection(Qt.LayoutDirection.LeftToRight)\n",
                "",
            ),
            (
                "kinet/ui/transcript/blocks/documents.py",
                "    form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)\n",
                "",
            ),
        ),
    ),
    24: (
        (
            (
                "kinet/markup/formula_rules.py",
                "    before, after = source[start - 1 : start], source[end + len(opener) :][:1]\n",
                "    return True\n",
            ),
        ),
    ),
    25: (
        (
            (
                "kinet/ui/transcript/hand/acting.py",
                "        self._copy(code_text([p for p in entry.pieces if p.r"
                "un is piece.run]), piece.run)",
                "        style, width = self._stage.flow.style, self._stage.flow.width\n"
                "        made = entry.document_of(entry.pieces.index(piece), style, width)\n"
                "        self._copy(made.toPlainText(), piece.run)",
            ),
        ),
    ),
    26: (
        (
            (
                "kinet/ui/transcript/stage/stage.py",
                "        self.pacer.flush()\n        entry.finish",
                "        self.pacer.flush()\n"
                "        self._area.selection.clear()\n"
                "        entry.finish",
            ),
        ),
    ),
    27: (
        (
            (
                "kinet/ui/transcript/blocks/documents.py",
                "    document.setTextWidth(width if wrap else -1)\n",
                "    document.setTextWidth(width)\n",
            ),
            (
                "kinet/ui/transcript/blocks/documents.py",
                "WrapAtWordBoundaryOrAnywhere if wrap else QTextOption.WrapMode.NoWrap",
                "WrapAtWordBoundaryOrAnywhere",
            ),
        ),
        (
            (
                "kinet/ui/transcript/blocks/documents.py",
                "    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)\n"
                "    document.setDefaultTextOption(option)\n"
                "    document.setTextWidth(width)\n",
                "    option.setWrapMode(QTextOption.WrapMode.WordWrap)\n"
                "    document.setDefaultTextOption(option)\n"
                "    document.setTextWidth(width)\n",
            ),
        ),
    ),
    28: (
        (
            (
                "kinet/markup/inline.py",
                "    return escape(breakable(shown(text)))",
                "    return breakable(shown(text))",
            ),
        ),
    ),
    29: (
        (
            (
                "kinet/ui/transcript/entries/steps_group.py",
                "        self.open = False\n",
                "        self.open = True\n",
            ),
        ),
    ),
    30: (
        (
            (
                "kinet/ui/transcript/teller.py",
                "                turn.count_lines(event)\n",
                "                turn.count_lines(event)\n"
                "                self._sink.add(AnswerEntry(event.content))\n",
            ),
        ),
    ),
    31: (
        (
            (
                "kinet/markup/terminal_screen.py",
                "        if self.is_plain and not acts(text):\n",
                "        if self.is_plain:\n",
            ),
        ),
        (
            (
                "kinet/markup/visible.py",
                '"\\ufffd", _CONTROLS.sub(_symbol, without_escapes(text)))',
                '"\\ufffd", text)',
            ),
        ),
    ),
    40: (
        (
            (
                "kinet/session/branching.py",
                "            await self._move(tree.parent(turn), events, chosen)\n",
                "            await self._move(tree.parent(turn), events, chosen)\n"
                "            await asyncio.wrap_future(state.parts.store.database.submit(\n"
                "                lambda db: db.execute(\n"
                "                    'DELETE FROM event WHERE session_id = ? AND seq >= ?',\n"
                "                    (state.id, turn),\n"
                "                )\n"
                "            ))\n",
            ),
        ),
        (
            (
                "kinet/store/branches.py",
                "            forks[self._fork(turn)].append(turn)\n",
                "            forks[turn].append(turn)\n",
            ),
            (
                "kinet/store/branches.py",
                "forks.get(self._fork(turn), [turn]) for",
                "forks.get(turn, [turn]) for",
            ),
        ),
    ),
    45: (
        (
            (
                "kinet/ui/servers/server_details.py",
                "        self._stderr.setVisible(bool(text))\n",
                "        self._stderr.setVisible(False)\n        self._stderr.set_text('')\n",
            ),
        ),
        (
            (
                "kinet/ui/servers/server_words.py",
                '        return f"{word}, exit code {row.exit_code}", token, icon\n',
                "        return word, token, icon\n",
            ),
        ),
    ),
}

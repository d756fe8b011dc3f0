"""What one request carries: system, memory, history; and how much of the window that takes."""

from __future__ import annotations

from collections.abc import Iterable

from kinet.core.conversation import Conversation
from kinet.core.events import ContextCompacted
from kinet.core.messages import Message, ToolSchema
from kinet.core.pairing import repair
from kinet.engine.base import TurnRequest
from kinet.engine.context.environment import with_environment
from kinet.engine.context.old_outputs import with_old_outputs_shrunk
from kinet.engine.context.prompt import system_prompt, text_of
from kinet.engine.context.shortening import Shortening
from kinet.engine.context.tokens import (
    Calibration,
    Size,
    size_of_message,
    size_of_text,
    size_of_tools,
)
from kinet.providers.base import ModelRequest, ToolChoice
from kinet.providers.pricing import known_window

# Where nothing is known of a window, a conversation is compacted at this many tokens.
UNKNOWN_WINDOW_LIMIT = 30_000
_RESERVE = 16_384
# Of the window, for one page of a file.
_PAGE_SHARE = 0.2
# After an overflow no text may take more than this share of the room, nor less than so much.
_SHARES, _SHORTEST = 4, 1_000


class Context:
    """Makes the requests of one turn from its conversation, and measures them."""

    def __init__(
        self,
        turn: TurnRequest,
        conversation: Conversation,
        calibration: Calibration,
        *,
        base: str = "",
    ) -> None:
        self._turn = turn
        self._conversation = conversation
        self._calibration = calibration
        self._system = system_prompt(
            base or text_of("base"), turn.skills, turn.rules, personal=turn.personal
        )
        self._tools: tuple[ToolSchema, ...] = turn.toolbox.schemas()
        self._memory = Message("user", turn.memory_text, memory=True) if turn.memory_text else None
        self._fixed = size_of_text(self._system) + size_of_tools(self._tools)
        if self._memory:
            self._fixed += size_of_message(self._memory)
        # The message is kept beside its size: an id is only good while the object lives.
        self._sizes: dict[int, tuple[Message, Size]] = {}
        user, before = conversation.messages[-1], conversation.messages[:-1]
        told = user
        if not any(message.environment for message in before):
            told = with_environment(user, before, turn.folder, mode=turn.mode, added=turn.added)
        # A session adds the note before it stores the message, and alone knows when another is
        # due; for one that never did, it is made up here, in the request alone.
        self._user, self._told_user = user, told
        self._shortening = Shortening()
        # The legal history so far, how many messages it covers, and the compaction it belongs to.
        self._legal: list[Message] = []
        self._covered = 0
        self._legal_since: ContextCompacted | None = None
        # The size of the legal history and where its last turn begins; and the last request's size.
        self._legal_size = Size(0.0, 0)
        self._turn_start = -1
        self._measured: tuple[ModelRequest, Size] | None = None
        self._going_on = _GoingOn()

    @property
    def window(self) -> int:
        """The model's window in tokens, 0 where it is not known."""
        profile = self._turn.profile
        return profile.window or known_window(profile.model)

    @property
    def reserve(self) -> int:
        """Tokens that stay free for the answer."""
        return min(_RESERVE, self.window // 4) if self.window else 0

    def page_bytes(self) -> int:
        """How much of a file may be read at once; 0 where the window is not known."""
        room = int(_PAGE_SHARE * self.window * self.characters_per_token())
        return max(_SHORTEST, room) if self.window else 0

    @property
    def compact_at(self) -> int:
        """From so many tokens on a turn's end compacts."""
        limits = self._turn.limits
        if not self.window:
            return limits.compact_at or UNKNOWN_WINDOW_LIMIT
        latest = self.window - self.reserve
        return min(limits.compact_at or int(limits.compact_ratio * self.window) or latest, latest)

    def request(self, tool_choice: ToolChoice = "auto") -> ModelRequest:
        """The next request: memory first, then the history, every call answered."""
        paired = self._legal_history()
        size, start = self._legal_size, self._turn_start
        whole = paired
        if self._turn.limits.shrink_old_outputs:
            paired = with_old_outputs_shrunk(paired)
        paired = self._shortening.of(paired)
        before = (self._memory,) if self._memory else ()
        all_messages = (*before, *paired)
        if paired is not whole:
            size = self._sum(paired)
        profile = self._turn.profile
        request = ModelRequest(
            system=self._system,
            messages=all_messages,
            tools=self._tools,
            tool_choice=tool_choice,
            effort=self._turn.effort or profile.effort,
            max_tokens=profile.max_output_tokens,
            temperature=profile.temperature,
            top_p=profile.top_p,
            session_id=self._turn.session_id,
            turn_start=start + len(before) if start >= 0 else -1,
            asked_before=self._going_on.from_(all_messages),
        )
        self._measured = (request, size + self._fixed)
        return request

    def size(self, request: ModelRequest) -> Size:
        """Everything in the payload: system, tools, messages."""
        if self._measured is not None and self._measured[0] is request:
            return self._measured[1]
        fixed = size_of_text(self._system) + size_of_tools(self._tools)
        return self._sum(request.messages) + fixed

    def used(self) -> int:
        """Tokens the next request would carry: the last figures of the server and what came after.

        Without figures, or while requests carry less than all, it is an estimate over everything.
        """
        conversation = self._conversation
        covered = 0 if self._shortening.for_now else conversation.occupancy_messages
        if conversation.occupancy and 0 < covered <= len(conversation.messages):
            later = self._sum(conversation.messages[covered:])
            return conversation.occupancy + self.estimate(later)
        return self.estimate(self._fixed + self._sum(conversation.context()))

    def use(self, turn: TurnRequest) -> None:
        """From the next request on `turn`'s model and effort are asked."""
        self._turn = turn

    def shorten_to(self, tokens: int, *, pictures: bool) -> None:
        """From now on long texts are cut in requests, so that none takes too large a share.

        Without `pictures` a few words stand in the place of each.
        """
        self._shortening.pictures = pictures
        each = tokens * self.characters_per_token() / _SHARES
        self._shortening.at_most = max(_SHORTEST, each)

    def fit_into(self, tokens: int) -> bool:
        """Cuts long texts in the next requests if all would take more than so many tokens.

        True if they are cut. Without a cut before, the server's own figures say whether it fits.
        """
        cut = self._shortening
        if self.used() <= tokens:
            cut.for_now = 0.0
            return False
        messages = self._legal_history()
        size = self._fixed + self._legal_size
        texts = sum(size_of_text(message.text).characters for message in messages)
        room = (tokens - size.tokens) * self.characters_per_token() - size.characters + texts
        cut.fit(messages, room)
        return True

    def characters_per_token(self) -> float:
        """How many Latin characters make a token, by what is known of the model."""
        return 1 / self._calibration.coefficient(self._turn.profile.model)

    def estimate(self, size: Size) -> int:
        """Tokens of `size` for this turn's model."""
        return self._calibration.estimate(self._turn.profile.model, size)

    def estimate_messages(self, messages: tuple[Message, ...] | list[Message]) -> int:
        """Tokens of these messages."""
        return self.estimate(self._sum(messages))

    def estimate_fixed(self) -> int:
        """Tokens of what every request carries: system, tools, memory."""
        return self.estimate(self._fixed)

    def learn(self, request: ModelRequest, prompt_tokens: int) -> None:
        """Takes in what the server counted for `request`."""
        model = self._turn.profile.model
        self._calibration.observe(model, prompt_tokens, self.size(request))

    def _legal_history(self) -> tuple[Message, ...]:
        """The context with every call answered.

        What came in this turn is legal by itself once its step has ended, so only the rest is
        looked at: a long run must not look at everything before each request.
        """
        conversation = self._conversation
        if not self._legal or self._legal_since is not conversation.compaction:
            told = (self._told(item) for item in conversation.context())
            self._legal = []
            self._legal_size, self._turn_start = Size(0.0, 0), -1
            self._extend_legal(repair(tuple(told)))
            self._legal_since = conversation.compaction
        else:
            self._extend_legal(map(self._told, conversation.messages[self._covered :]))
        self._covered = len(conversation.messages)
        return tuple(self._legal)

    def _extend_legal(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if _begins_turn(message):
                self._turn_start = len(self._legal)
            self._legal.append(message)
            self._legal_size += self._sum((message,))

    def _told(self, message: Message) -> Message:
        return self._told_user if message is self._user else message

    def _sum(self, messages: tuple[Message, ...] | list[Message]) -> Size:
        characters, tokens = 0.0, 0
        for message in messages:
            known = self._sizes.get(id(message))
            if known is None:
                known = self._sizes[id(message)] = (message, size_of_message(message))
            characters += known[1].characters
            tokens += known[1].tokens
        return Size(characters, tokens)


class _GoingOn:
    """Where a request goes on from the one before it."""

    def __init__(self) -> None:
        self._asked: tuple[Message, ...] = ()
        self._before = -1

    def from_(self, messages: tuple[Message, ...]) -> int:
        """How many of the messages were the request before this one; -1 if they are not those."""
        asked, self._asked = self._asked, messages
        goes_on = asked and len(asked) <= len(messages) and messages[len(asked) - 1] is asked[-1]
        if not goes_on:
            self._before = -1
        elif len(asked) < len(messages):
            self._before = len(asked)
        return self._before


def _begins_turn(message: Message) -> bool:
    return message.role == "user" and message.kind == "" and not message.memory

"""The LLM judge: asks a chat model the four questions, and believes of its replies only what fits the
question."""

from collections.abc import Sequence
from typing import Self, TypeVar

from steelyard.schemas.judging import (
    CorrectAnswer,
    CorrectCase,
    GroundedAnswer,
    GroundedCase,
    JudgeIdentity,
    Question,
    Requirement,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
    Usage,
)
from steelyard.schemas.verdict import Unscored, UnscoredReason

from ..batches import Batches
from ..calling import Caller, missing, total, unreadable
from ..calls import Ledger, Limiter, MemoryLedger, NoLimit, Waiting
from ..packing import Piece, packs, parts, pieces
from ..sdk import open_sdk
from ..settings import RemoteSettings
from .exchange import SEED, ChatExchange, Content, Habits
from .marks import claims_from, support_from
from .questions import Prompt, ask_correct, ask_grounded, ask_requirements, ask_support, repair
from .replies import ClaimReply, SupportReply, UnreadableReply
from .templates import prompts_digest

REQUIREMENTS_PER_CALL = 6
PASSAGES_PER_CALL = 20
CLAIMS_PER_CALL = 12
REPEATED_CHARS = 4_000
ANY_FACT = "any fact that is needed to do the task"

T = TypeVar("T")


class ChatJudge:
    """Implements `Judge`. Thread-safe. Temperature 0 and a fixed seed are asked for; `habits` says what the
    server did not honour and which models it says answered."""

    def __init__(
        self,
        settings: RemoteSettings,
        *,
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        self._settings = settings
        self._caller = Caller(
            settings,
            ledger=MemoryLedger() if ledger is None else ledger,
            limiter=NoLimit() if limiter is None else limiter,
            waiting=Waiting() if waiting is None else waiting,
        )
        self._client = open_sdk(settings)
        self._batches = Batches(settings.concurrency)
        self._owner = True
        self.habits = Habits()

    def __repr__(self) -> str:
        return f"ChatJudge({self._settings.model!r} at {self._caller.provider})"

    @property
    def identity(self) -> JudgeIdentity:
        """What was asked for: model by name, prompts by digest, every setting that can move a verdict."""
        settings = self._settings
        return JudgeIdentity(
            name="llm",
            kind="llm",
            model=settings.model,
            model_digest=settings.returned_model or settings.model,
            prompt_digest=prompts_digest(),
            settings={
                "base_url": self._caller.provider,
                "temperature": 0,
                "seed": SEED,
                "max_reply_tokens": settings.max_reply_tokens,
                "chars_per_call": settings.chars_per_call,
                "passages_per_call": PASSAGES_PER_CALL,
                "requirements_per_call": REQUIREMENTS_PER_CALL,
                "claims_per_call": CLAIMS_PER_CALL,
            },
        )

    @property
    def questions(self) -> frozenset[Question]:
        return frozenset(Question)

    def fresh(self) -> Self:
        """The same judge, same identity, but every call is made anew: for retests, which a cache would make
        look stable. Shares limits and budget; closing it does nothing, close the original."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _caller=self._caller.refreshed(), _owner=False)
        return other

    def close(self) -> None:
        if self._owner:
            self._caller.close()
            self._batches.close()
            self._client.close()

    def requirements(self, tasks: Sequence[str], /) -> list[RequirementsAnswer | Unscored]:
        return self._batches.each(self._requirements, tasks)

    def support(self, cases: Sequence[SupportCase], /) -> list[SupportAnswer | Unscored]:
        return self._batches.each(self._support, cases)

    def grounded(self, cases: Sequence[GroundedCase], /) -> list[GroundedAnswer | Unscored]:
        return self._batches.each(self._grounded, cases)

    def correct(self, cases: Sequence[CorrectCase], /) -> list[CorrectAnswer | Unscored]:
        return self._batches.each(self._correct, cases)

    def _requirements(self, task: str) -> RequirementsAnswer | Unscored:
        if not task.strip():
            return missing("the task is empty")
        usages: list[Usage] = []
        reply = self._ask(ask_requirements(task), usages)
        if isinstance(reply, Unscored):
            return reply
        return RequirementsAnswer(
            requirements=tuple(Requirement(text=text) for text in reply), usage=total(usages)
        )

    def _support(self, case: SupportCase) -> SupportAnswer | Unscored:
        if not case.requirements:
            return missing("there is no requirement to support")
        chars = self._settings.chars_per_call
        usages: list[Usage] = []
        calls: list[tuple[list[Piece], list[SupportReply]]] = []
        slots = all(requirement.slot for requirement in case.requirements)
        texts = [ANY_FACT] if slots else [requirement.text for requirement in case.requirements]
        for group in packs(pieces(case.passages, chars=chars), chars=chars, most=PASSAGES_PER_CALL):
            rows: list[SupportReply] = []
            for _, part in parts(texts, most=REQUIREMENTS_PER_CALL):
                reply = self._ask(ask_support(case.task, part, [piece.text for piece in group]), usages)
                if isinstance(reply, Unscored):
                    return reply
                rows.extend(reply)
            calls.append((group, rows))
        return support_from(calls, slots=slots, usage=total(usages))

    def _grounded(self, case: GroundedCase) -> GroundedAnswer | Unscored:
        if not case.source.strip():
            return missing("the source is empty")
        usages: list[Usage] = []
        told = [position for position, claim in enumerate(case.claims) if claim.strip()]
        readings: list[tuple[int, int, ClaimReply]] = []
        for piece in pieces([case.source], chars=self._settings.chars_per_call):
            for start, part in parts(told, most=CLAIMS_PER_CALL):
                reply = self._ask(
                    ask_grounded([case.claims[position] for position in part], piece.text), usages
                )
                if isinstance(reply, Unscored):
                    return reply
                readings += [(told[start + row], piece.start, answer) for row, answer in enumerate(reply)]
        return claims_from(case, readings, usage=total(usages))

    def _correct(self, case: CorrectCase) -> CorrectAnswer | Unscored:
        expected = tuple(dict.fromkeys(text for text in case.expected if text.strip()))
        if not expected:
            return missing("there is no expected answer to compare with")
        if not case.answer.strip():
            return CorrectAnswer(correct=False, reason="The answer is empty.")
        usages: list[Usage] = []
        reply = self._ask(ask_correct(case.question, expected, case.answer), usages)
        if isinstance(reply, Unscored):
            return reply
        return CorrectAnswer(correct=reply.correct, reason=reply.reason, usage=total(usages))

    def _ask(self, prompt: Prompt[T], usages: list[Usage]) -> T | Unscored:
        """The reply as read; once, an unreadable one is sent back with what is wrong with it."""
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        problem = ""
        for last in (False, True):
            exchange = ChatExchange(
                client=self._client,
                model=self._settings.model,
                messages=messages,
                schema_name=prompt.name,
                schema=prompt.schema,
                reply_tokens=self._settings.max_reply_tokens,
                habits=self.habits,
                returned_model=self._settings.returned_model,
            )
            paid = self._caller.ask(exchange)
            if isinstance(paid, Unscored):
                return paid
            usages.append(paid.usage)
            content = Content.load(paid.call.reply)
            if content.refused:
                return Unscored(reason=UnscoredReason.REFUSED, detail="the model refused to answer")
            try:
                return prompt.read(content.text)
            except UnreadableReply as error:
                problem = "it was cut off, be shorter" if content.cut_off else error.problem
            if not last:
                said = {"role": "assistant", "content": content.text[:REPEATED_CHARS] or "(nothing)"}
                messages = [*messages, said, {"role": "user", "content": repair(problem)}]
        return unreadable(f"the model's reply cannot be read, nor could the second one: {problem}")

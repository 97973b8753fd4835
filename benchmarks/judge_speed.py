"""How fast the embedded judge is, and how fast its encoder is against the same model in plain PyTorch fp32.

Needs the training environment: PYTHONPATH=src:judge/src .venv-training/bin/python benchmarks/judge_speed.py
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from steelyard.judges.embedded import EmbeddedJudge
from steelyard.judges.embedded.encoder import Encoder
from steelyard.judges.embedded.files import Files
from steelyard.schemas.judging import RequirementsAnswer, SupportCase

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))
from export import load, unpack

RESULT = Path(__file__).parent / "results" / "judge" / "speed.json"
VOCABULARY = """
bridge river city council opened built engineer steel arch harbour water company report year market price
share patient study treatment risk result method system function value list user policy data service account
law court music film director award school student teacher history war country people language church north
"""
WORDS = VOCABULARY.split()
CORES = 2


def sentence(rng: np.random.Generator, words: int) -> str:
    return " ".join(rng.choice(WORDS, size=words)).capitalize() + "."


def events(n: int, *, seed: int) -> list[tuple[str, tuple[str, ...]]]:
    """Questions, each with 8 passages of about 100 tokens, none like another."""
    rng = np.random.default_rng(seed)
    return [
        (
            f"Which {sentence(rng, 6)[:-1].lower()}?",
            tuple(" ".join(sentence(rng, 14) for _ in range(6)) for _ in range(8)),
        )
        for _ in range(n)
    ]


def judged(judge: EmbeddedJudge, batch: list[tuple[str, tuple[str, ...]]]) -> None:
    for at in range(0, len(batch), 16):
        part = batch[at : at + 16]
        listed = judge.requirements([task for task, _ in part])
        judge.support(
            [
                SupportCase(task=task, requirements=answer.requirements, passages=passages)
                for (task, passages), answer in zip(part, listed, strict=True)
                if isinstance(answer, RequirementsAnswer)
            ]
        )


def best(run: Callable[[], None], *, rounds: int) -> float:
    """The shortest of so many runs, in seconds: what the machine can do when nothing else takes its time."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def main(*, n: int, rounds: int) -> dict[str, object]:
    torch.set_num_threads(CORES)
    files = Files.shipped()
    texts = [passage for _, passages in events(n, seed=1) for passage in passages]
    encoder = Encoder(
        files.folder / "encoder.onnx", files.folder / "tokenizer.json", threads=CORES, cache_bytes=0
    )
    with tempfile.TemporaryDirectory() as scratch:
        bert = load(unpack(Path(scratch)))
    tokenizer = encoder._tokenizer
    ids = [[101, *tokenizer.encode(text, add_special_tokens=False).ids, 102] for text in texts]
    tokens = sum(map(len, ids))

    def one_by_one() -> None:
        with torch.inference_mode():
            for row in ids:
                bert(input_ids=torch.tensor([row])).last_hidden_state.numpy()

    def batched() -> None:
        with torch.inference_mode():
            for at in range(0, len(ids), 16):
                part = ids[at : at + 16]
                width = max(map(len, part))
                padded = torch.tensor([row + [0] * (width - len(row)) for row in part])
                mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in part])
                bert(input_ids=padded, attention_mask=mask).last_hidden_state.numpy()

    ours, single, batch = [], [], []
    for _ in range(rounds):  # in turns, so that a slow moment of the machine meets all three
        ours.append(best(lambda: encoder.encode(texts), rounds=1))
        single.append(best(one_by_one, rounds=1))
        batch.append(best(batched, rounds=1))
    encoder.close()
    judge = EmbeddedJudge.load(threads=CORES)
    judged(judge, events(4, seed=2))
    fresh = [events(n, seed=10 + i) for i in range(rounds)]
    seconds = min(best(lambda batch=batch: judged(judge, batch), rounds=1) for batch in fresh)
    known = events(n, seed=99)
    judged(judge, known)
    repeated = [
        (task, passages) if i % 10 else fresh_event
        for i, ((task, passages), fresh_event) in enumerate(zip(known, events(n, seed=98), strict=True))
    ]
    again = best(lambda: judged(judge, repeated), rounds=1)
    judge.close()
    plain = min(min(single), min(batch))
    return {
        "cores": CORES,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "texts": len(texts),
        "tokens_a_text": round(tokens / len(texts), 1),
        "encoder_texts_a_second": round(len(texts) / min(ours), 1),
        "pytorch_fp32_one_by_one_texts_a_second": round(len(texts) / min(single), 1),
        "pytorch_fp32_batches_of_16_texts_a_second": round(len(texts) / min(batch), 1),
        "ratio_to_plain_pytorch": round(min(single) / min(ours), 2),
        "ratio_to_the_better_pytorch": round(plain / min(ours), 2),
        "ratios_by_round": [round(min(s, b) / o, 2) for o, s, b in zip(ours, single, batch, strict=True)],
        "events_a_second": round(n / seconds, 1),
        "events_a_second_when_9_of_10_repeat": round(n / again, 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULT)
    flags = parser.parse_args()
    measured = main(n=flags.events, rounds=flags.rounds)
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    flags.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(measured, indent=1))

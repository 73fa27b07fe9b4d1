"""The callbacks and loggers with the real libraries."""

from pathlib import Path

import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

import featherboard as fb
from db.registry import tasks
from db.runs import examples
from db.storage.store import Store
from db.submissions import gold_answers
from featherboard.integrations.sklearn import log_classifier
from featherboard.integrations.transformers import FeatherboardCallback

TASK = "reviews-ko-mini"


@pytest.fixture
def store(default_board: Store) -> Store:
    """The default database, with its tasks."""
    return default_board


def test_the_hugging_face_trainer_logs_its_curves(store: Store, tmp_path: Path) -> None:
    """Loss and learning rate at the trainer's steps, with epochs."""
    config = BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, num_labels=2
    )
    model = BertForSequenceClassification(config)
    rows = [{"input_ids": torch.tensor([1, 2, number % 9]), "labels": number % 2} for number in range(8)]
    run = fb.init(TASK, "tiny-bert", params=model)
    options = TrainingArguments(
        output_dir=str(tmp_path),
        use_cpu=True,
        num_train_epochs=2,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
    )
    Trainer(model, options, train_dataset=rows, callbacks=[FeatherboardCallback(run)]).train()
    run.finish()
    stored = fb.run(run.id)
    losses = stored.curves[stored.curves["series"] == "loss"]
    assert losses["step"].tolist() == [1, 2]
    assert losses["epoch"].tolist() == [1.0, 2.0]
    assert stored.model["params"] == sum(parameter.numel() for parameter in model.parameters())


def test_lightning_logs_its_metrics(store: Store, tmp_path: Path) -> None:
    """What the module logs, and its hyperparameters."""
    lightning = pytest.importorskip("lightning.pytorch")
    from featherboard.integrations.lightning import FeatherboardLogger

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self, width: int = 3) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(width, 1)

        def training_step(self, batch: torch.Tensor, _: int) -> torch.Tensor:
            loss = self.layer(batch).pow(2).mean()
            self.log("train/loss", loss)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    run = fb.init(TASK, "linear")
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=FeatherboardLogger(run),
        log_every_n_steps=1,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    trainer.fit(Module(), DataLoader(torch.ones(4, 3), batch_size=2))
    run.finish()
    stored = fb.run(run.id)
    assert len(stored.curves[stored.curves["series"] == "train/loss"]) == 2
    assert stored.recipe["width"] == 3


def test_a_scikit_learn_pipeline_is_scored_and_verified(store: Store) -> None:
    """A fitted pipeline becomes a verified row."""
    task = tasks.by_id(TASK)
    file = examples.file_of(TASK)
    assert file is not None
    gold = gold_answers.load(store, task).answers
    texts = {name: row.parts["document"] for name, row in examples.read(TASK, file).items()}
    ids = list(gold)
    pipeline = make_pipeline(TfidfVectorizer(analyzer="char", ngram_range=(1, 2)), LogisticRegression())
    pipeline.fit([texts[name] for name in ids], [gold[name] for name in ids])
    report = log_classifier(fb.init(TASK, "n-grams"), pipeline, ids, [texts[name] for name in ids])
    assert report.verified, report.sentence()

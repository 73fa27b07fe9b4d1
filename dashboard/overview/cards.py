"""Three facts as cards: each a figure, a sentence and a link."""

from markupsafe import Markup

from dashboard.markup import cards as markup
from dashboard.markup.cards import Card
from dashboard.markup.templates import Link
from dashboard.ui import task_names
from dashboard.ui.i18n import _, ngettext
from db.analysis.headlines import Gain, Headlines, SmallModel
from db.leaderboard.overview import Cells
from db.registry import formats


def counted(read: Cells, runs: int) -> str:
    """Say how many models, tasks and runs there are; models of which printed figures alone are known stand apart."""
    printed = read.rows["source"].eq("reported").groupby(read.rows["model"]).all()
    apart = printed.any() and not printed.all()
    models = ngettext("{n} model", "{n} models", int((~printed).sum() if apart else len(printed)))
    if apart:
        others = ngettext("{n} published one", "{n} published ones", int(printed.sum()))
        models = _("{models} and {others}").format(models=models, others=others)
    tasks = ngettext("{n} task", "{n} tasks", read.rows["task_id"].nunique())
    return ", ".join([models, tasks, ngettext("{n} run", "{n} runs", runs)])


def render(facts: Headlines, link: Link) -> Markup:
    """Draw the cards; a fact that the database does not hold has none."""
    cards = [_small(facts.smallest, link)] if facts.smallest else []
    titles = {"distillation": _("Distillation adds"), "pretraining": _("Pretraining adds")}
    cards += [_gain(facts.gains[name], title, link) for name, title in titles.items() if name in facts.gains]
    return markup.render(cards, _("Three facts"))


def _small(fact: SmallModel, link: Link) -> Card:
    times = fact.best_bytes / fact.bytes
    task = task_names.name(fact.task_id)
    text = _("{model}, {task}").format(model=fact.model, task=task)
    if times >= 2:
        text = _("{model}, {task}. The best verified model scores {best} and is {times} times larger.").format(
            model=fact.model, task=task, best=f"{100 * fact.best:.1f}%", times=f"{times:.0f}"
        )
    figure = _("{score} in {size}").format(score=f"{100 * fact.score:.1f}%", size=formats.size(fact.bytes))
    return Card(_("Best for its size"), figure, text, link("run", run=fact.run_id), "run")


def _gain(fact: Gain, title: str, link: Link) -> Card:
    task = task_names.name(fact.task_id)
    if fact.models > 1:
        text = _("{task}: the mean over {sizes}; {better} of {n} gain.").format(
            task=task, sizes=ngettext("{n} model", "{n} models", fact.models), better=fact.better, n=fact.models
        )
    else:
        text = _("{task}: the same network with and without it.").format(task=task)
    if not fact.apart:
        text = f"{text} {_('The intervals overlap: it may be chance.')}"
    figure = _("{n} points").format(n=formats.signed(100 * fact.mean, 1))
    return Card(title, figure, text, link("leaderboard", task=fact.task_id), "leaderboard")

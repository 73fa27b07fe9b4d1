"""Every text of the board, in English, page by page. Names and dict keys are those of every other language."""

from dashboard.ui.texts.en.board import *
from dashboard.ui.texts.en.common import *
from dashboard.ui.texts.en.compare import *
from dashboard.ui.texts.en.devices import *
from dashboard.ui.texts.en.moderation import *
from dashboard.ui.texts.en.playground import *
from dashboard.ui.texts.en.run import *
from dashboard.ui.texts.en.submit import *
from dashboard.ui.texts.en.tradeoffs import *
from dashboard.ui.texts.en.verdicts import *
from dashboard.ui.texts.en.words import *

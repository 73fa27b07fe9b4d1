"""Every text of the board, in English, page by page. Names and dict keys are those of every other language."""

from dashboard.texts.en.board import *
from dashboard.texts.en.common import *
from dashboard.texts.en.compare import *
from dashboard.texts.en.devices import *
from dashboard.texts.en.moderation import *
from dashboard.texts.en.playground import *
from dashboard.texts.en.run import *
from dashboard.texts.en.submit import *
from dashboard.texts.en.tradeoffs import *
from dashboard.texts.en.verdicts import *
from dashboard.texts.en.words import *

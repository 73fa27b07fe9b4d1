"""Every text of the board, in Korean, page by page. Names and dict keys are those of every other language."""

from dashboard.ui.texts.ko.board import *
from dashboard.ui.texts.ko.common import *
from dashboard.ui.texts.ko.compare import *
from dashboard.ui.texts.ko.devices import *
from dashboard.ui.texts.ko.moderation import *
from dashboard.ui.texts.ko.playground import *
from dashboard.ui.texts.ko.run import *
from dashboard.ui.texts.ko.submit import *
from dashboard.ui.texts.ko.tradeoffs import *
from dashboard.ui.texts.ko.verdicts import *
from dashboard.ui.texts.ko.words import *

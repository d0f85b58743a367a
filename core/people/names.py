"""Common names of people and words of addresses, Korean surnames and words that are no name.

Small lists, to recognize a column of them. A column is judged by the share of its values that look like
names, so a list needs the common ones, not all: the most frequent given names and surnames of
English-speaking countries, and of Slovenia (statistical office, most frequent names).
"""

# The 109 surnames of more than 1,000 people each and the double surnames (Statistics Korea, 2015 census).
_SINGLE_SURNAMES = (
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도"
    "소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편용예경봉사부황보목형두감음빈동온호범좌팽승간상갈단견"
)
_DOUBLE_SURNAMES = ("남궁", "황보", "제갈", "선우", "사공", "서문", "독고", "동방", "망절", "어금")
KOREAN_SURNAMES = frozenset(_SINGLE_SURNAMES) | frozenset(_DOUBLE_SURNAMES)

ADMINISTRATIVE_ENDINGS = "시군구동읍면리"

# Given names that end like an administrative place. With a surname before them they are people:
# Hong Gil-dong is Korea's John Doe, and no place is called so.
_GIVEN_NAMES_LIKE_PLACES_WORDS = "길동 영구 진구 병구 철구 유리 규리 혜리 나리 주리 미리 아리 채리 예리"
GIVEN_NAMES_LIKE_PLACES = frozenset(_GIVEN_NAMES_LIKE_PLACES_WORDS.split())

# Endings of medical and administrative words; no given name ends so.
CATEGORICAL_ENDINGS = "과염렴증암통"

_PLACES = """
서울 부산 대구 인천 광주 대전 울산 세종 경기 강원 충북 충남 전북 전남 경북 경남 제주 경기도 강원도 제주도
충청북도 충청남도 전라북도 전라남도 경상북도 경상남도 충청도 전라도 경상도 수도권 영남 호남 영동 영서 전국
국내 국외 해외 수원 성남 용인 고양 부천 안양 안산 화성 평택 의정부 시흥 파주 김포 광명 군포 하남 오산 이천
안성 의왕 양주 포천 여주 춘천 원주 강릉 동해 속초 삼척 태백 청주 충주 제천 천안 공주 보령 아산 서산 논산
당진 전주 군산 익산 정읍 남원 김제 목포 여수 순천 나주 광양 포항 경주 김천 안동 구미 영주 영천 상주 문경
경산 창원 마산 진해 진주 통영 사천 김해 밀양 거제 양산 서귀포 강남 강북 종로 마포 송파 분당 일산 판교
해운대 한국 대한민국 북한 미국 중국 일본 영국 독일 프랑스 캐나다 호주 러시아 베트남 태국 몽골 대만 홍콩
필리핀 인도 네팔 이탈리아 스페인 브라질 멕시코 인도네시아 캄보디아 미얀마 우즈베키스탄 아시아 유럽 북미
남미 아프리카 내국인 외국인
"""
_PEOPLE = """
남성 여성 남자 여자 남 여 성별 남아 여아 간성 기혼 미혼 이혼 사별 별거 동거 재혼 혼인 독신 배우자 본인 부
모 아버지 어머니 부모 부친 모친 형제 자매 자녀 아들 딸 손자 손녀 조부 조모 조부모 할아버지 할머니 남편
아내 친척 친구 지인 보호자 가족 기타 타인 며느리 사위 신생아 영아 유아 소아 아동 청소년 청년 중년 장년
노년 노인 성인 미성년 고령 고령자 임산부 산모 환자 정상인 대조군 실험군
"""
_WORK = """
무직 학생 주부 직장인 회사원 공무원 군인 교사 교수 의사 간호사 약사 변호사 농업 어업 임업 광업 상업 공업
제조업 건설업 서비스업 자영업 전문직 사무직 생산직 판매직 관리직 기술직 일용직 농민 어민 은퇴 퇴직 실업
구직 취업 재직 휴직 정규직 비정규직 계약직 무급 유급 무학 초졸 중졸 고졸 대졸 초등학교 중학교 고등학교
대학교 대학원 전문대 전문대졸 대학원졸 학사 석사 박사 재학 휴학 졸업 중퇴 수료 기독교 천주교 불교 개신교
원불교 유교 무교 이슬람 이슬람교 힌두교 종교 건강보험 의료급여 의료보험 산재 산재보험 자동차보험 자보 일반
국민건강보험 직장가입자 지역가입자 피부양자 보훈 차상위 급여 비급여
"""
_CARE = """
입원 외래 응급 응급실 퇴원 전원 전과 내원 초진 재진 신환 구환 검진 건강검진 수술 시술 처치 검사 진료 진단
처방 투약 치료 재활 예방 접종 예방접종 상담 교육 간호 중환자실 병동 일반병동 수술실 분만실 신생아실
외래진료 응급입원 예약 예약입원 당일 자퇴 가퇴원 사망 생존 호전 악화 완치 회복 불변 경과 관찰 추적 소실
탈락 중단 유지 변경 완료 진행 진행중 대기 보류 취소 승인 거절 반려 정상 비정상 이상 양성 음성 약양성
위양성 위음성 경계 미검 미상 불명 모름 없음 있음 유 무 해당없음 해당 무응답 응답거부 거부 동의 미동의
비동의 확인 미확인 확진 의심 추정 주상병 부상병 급성 만성 아급성 경증 중등도 중증 위중 경미 심각 보통 좋음
나쁨 양호 불량 높음 낮음 중간 많음 적음 매우좋음 매우나쁨 비흡연 흡연 금연 과거흡연 현재흡연 비흡연자
흡연자 음주 비음주 금주 과음 규칙적 불규칙 매일 가끔 주간 월간 전혀 항상 자주 고혈압 저혈압 당뇨 당뇨병
고지혈증 뇌졸중 뇌출혈 뇌경색 심근경색 심부전 부정맥 협심 천식 결핵 간경화 간경변 빈혈 골절 화상 외상
타박상 염좌 디스크 감기 독감 코로나 발열 기침 설사 구토 변비 복부 흉부 두부 경부 요추 경추 흉추 골반 상지
하지 좌측 우측 양측 좌 우 상 하 전 후 혈압 혈당 체온 맥박 호흡 체중 신장 키 몸무게 혈액 소변 대변 객담
조직 혈청 혈장 타액 정제 캡슐 주사 주사제 시럽 연고 패치 흡입 경구 정맥 근육 피하 도말 배양 백신 인슐린
아스피린 타이레놀 항생제 진통제 해열제 소화제 이뇨제 위암 폐암 간암 대장 유방 갑상선 전립선 자궁 난소
"""
_WORDS = """
예 아니오 아니요 네 참 거짓 가능 불가능 불가 허용 금지 사용 미사용 포함 제외 필요 불필요 선택 필수 신규
기존 추가 삭제 수정 등록 미등록 봄 여름 가을 겨울 월요일 화요일 수요일 목요일 금요일 토요일 일요일 평일
주말 공휴일 휴일 오전 오후 야간 심야 새벽 아침 점심 저녁 낮 밤 일월 이월 삼월 사월 오월 유월 칠월 팔월
구월 시월 십일월 십이월 상반기 하반기 일분기 이분기 삼분기 사분기 작년 올해 내년 둘 셋 넷 다섯 여섯 일곱
여덟 아홉 열 첫째 둘째 셋째 처음 마지막 최초 최종 이전 이후 현재 과거 미래 전체 일부 합계 평균 소계 총계
빨강 파랑 노랑 초록 검정 하양 흰색 검정색 빨간색 파란색 노란색 초록색 회색 갈색 분홍 주황 투명 황색 적색
청색 녹색 백색 흑색 도시 농촌 시골 도심 교외 지역 중소도시 대도시 광역 자가 전세 월세 임대 아파트 주택
빌라 기숙사 병원 의원 종합병원 상급종합 상급종합병원 요양병원 한방병원 치과병원 보건소 약국 한의원 공공
민간 국립 사립 도립 시립 개인 법인 단체 기관 본원 분원 본점 지점 서양인 동양인 백인 흑인 동양 서양 한국인
중국인 일본인 미국인 가명 익명 비식별 마스킹 삭제됨 비공개 공개 합격 불합격 성공 실패 수신 발신 현금 카드
계좌
"""
WORDS_THAT_ARE_NO_NAMES = frozenset("".join((_PLACES, _PEOPLE, _WORK, _CARE, _WORDS)).split())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_GIVEN_NAMES = _words(
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew "
    "anthony mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason "
    "jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel "
    "gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose henry adam douglas nathan "
    "peter zachary kyle walter harold jeremy ethan carl keith roger gerald christian terry sean arthur "
    "austin noah lawrence jesse joe bryan billy jordan albert dylan bruce willie gabriel alan juan logan "
    "wayne ralph roy eugene randy vincent russell louis philip bobby johnny bradley luis carlos oliver "
    "harry leo oscar charlie alfie mary patricia jennifer linda elizabeth barbara susan jessica sarah "
    "karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa "
    "deborah stephanie dorothy rebecca sharon laura cynthia amy kathleen angela shirley brenda emma anna "
    "pamela nicole samantha katherine christine helen debra rachel carolyn janet maria catherine heather "
    "diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn judith andrea "
    "hannah megan cheryl jacqueline martha madison teresa gloria sara janice ann kathryn abigail sophia "
    "frances jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie "
    "theresa diana brittany doris kayla alexis lori tiffany sophie chloe mia ava ella lily freya isla "
    "poppy daisy jane claire fiona bob tom tim jim mike dave steve kate liz"
)
ENGLISH_SURNAMES = _words(
    "smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez "
    "wilson anderson thomas taylor moore jackson martin lee perez thompson harris sanchez clark "
    "ramirez lewis robinson walker allen wright scott torres nguyen flores adams "
    "nelson baker rivera campbell mitchell carter roberts gomez phillips evans turner diaz parker "
    "cruz edwards collins reyes stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper "
    "peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez james "
    "bennett mendoza ruiz hughes alvarez castillo sanders patel myers ross foster jimenez "
    "davies powell jenkins perry russell sullivan bell coleman butler henderson barnes fisher vasquez "
    "simmons jordan patterson murray ford graham wallace shaw palmer webb simpson ellis hunt mason chapman "
    "khan ali singh clarke jameson"
)
SLOVENIAN_GIVEN_NAMES = _words(
    "franc marko janez andrej ivan anton luka jozef joze peter matej tomaz milan bojan gregor stanislav "
    "rok miha ales jan matjaz igor primoz jaka zan nejc boris dejan uros blaz ziga branko bostjan miran "
    "alojz mitja zoran roman stefan anze darko simon jure klemen martin vladimir dusan jernej sasa aljaz "
    "gasper urban tadej jakob david nik tilen lovro maks vid filip aleksander slavko sandi ludvik drago "
    "srecko zvonko marija ana maja irena mojca mateja nina natasa barbara andreja eva petra jozefa katja "
    "anja spela katarina tanja milena tina sonja nika vesna alenka sara martina marjeta ivana majda urska "
    "tjasa zala ema franciska franciska helena kristina nada dragica marta simona darja suzana sabina "
    "danica lara neza polona alojzija angela ivanka marjana jasna marjanca terezija julija hana lana "
    "lucija klara neja manca metka jana zdenka olga karmen lidija ksenija bernarda valentina monika "
    "patricija tamara anica rozalija pia brigita breda slavica antonija stanislava ajda zoja"
)
SLOVENIAN_SURNAMES = _words(
    "novak horvat kovacic krajnc zupancic potocnik kovac mlakar vidmar kos golob turk kralj bozic zupan "
    "korosec bizjak hribar kotnik rozman kavcic kastelic petek oblak zagar hocevar kolar kosir koren zajc "
    "klemencic medved knez pirc zupanc hrovat petric lah kuhar pavlic zorko erjavec sever uhan jerman "
    "majcen pusnik tomazic kranjc dolenc babic vidic jereb cerne kocjan kuzma logar bezjak blatnik "
    "gregoric jug hren jenko leban lesjak likar lipovsek mihelic miklavc perko pecnik podgornik resnik "
    "rupnik simonic skof stopar sajovic tratnik trampus urbancic vovk zadravec zalar zavrl zver znidarsic "
    "bevc breznik debeljak dolinar fras furlan primozic kosmac markovic petrovic jovanovic nikolic hodzic "
    "kaucic lamut pintar zeleznik"
)

ENGLISH_STREET_WORDS = _words(
    "street st avenue ave road rd lane ln drive dr boulevard blvd court ct way place pl square sq terrace "
    "parkway pkwy highway hwy apt apartment unit suite circle trail row crescent close gardens grove mews"
)
SLOVENIAN_STREET_WORDS = _words("ulica ul cesta c pot trg nabrezje naselje drevored steza prehod klanec vas")
# at the end of a street's name before a number, and before a street's name, in other languages
STREET_ENDINGS = ("strasse", "straat", "gasse", "weg", "laan", "gatan", "vej", "katu", "utca")
WORDS_BEFORE_STREETS = _words(
    "rue avenue chemin allee impasse via viale corso piazza vicolo calle avenida carrer plaza paseo rua "
    "travessa ul ulica aleja plac bulvar strada"
)
ROMANIZED_KOREAN_SURNAMES = (
    "kim|lee|yi|rhee|park|bak|pak|choi|choe|jung|jeong|chung|kang|gang|cho|jo|yoon|yun|jang|chang|lim|han|oh|"
    "seo|suh|shin|sin|kwon|gwon|hwang|ahn|song|ryu|yoo|yu|hong|jeon|jun|ko|koh|moon|mun|sohn|yang|bae|"
    "baek|paik|heo|hur|nam|shim|sim|noh|roh|joo|ju|koo|gu|kwak|gwak|cha|woo|bang|pang|byun|byeon"
)

KOREAN_REGIONS = _words(
    "서울 부산 대구 인천 광주 대전 울산 세종 경기 강원 충북 충남 전북 전남 경북 경남 제주 서울특별시 "
    "부산광역시 대구광역시 인천광역시 광주광역시 대전광역시 울산광역시 세종특별자치시 경기도 강원도 "
    "강원특별자치도 충청북도 충청남도 전라북도 전북특별자치도 전라남도 경상북도 경상남도 제주도 "
    "제주특별자치도"
)
US_STATES = _words(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho "
    "illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota "
    "mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah "
    "vermont virginia washington wisconsin wyoming"
)
SEX_VALUES = _words("m f male female man woman 남 여 남성 여성 남자 여자 moski zenska moški ženska ž z")
MARITAL_VALUES = _words(
    "single married divorced widowed separated 기혼 미혼 이혼 사별 samski samska porocen porocena razvezan "
    "razvezana vdovec vdova poročen poročena"
)
RACE_VALUES = _words(
    "white black asian native hispanic nonhispanic caucasian african-american hawaiian latino"
)

# People other than those the records are about. A header that ends with one of them heads names of people
# where the values are written so, see `core.people.roles.values`; else codes, duties or answers.
_OF_OTHER_PEOPLE = """
doctor, physician, clinician, practitioner, gp, surgeon, consultant, radiologist, pathologist,
psychiatrist, psychologist, dentist, anaesthetist, anesthetist, nurse, midwife, pharmacist,
therapist, physiotherapist, paramedic, carer, caregiver, technician, attending, prescriber,
examiner, investigator, interviewer, assessor, reviewer, author, recorder, staff, employee,
worker, social worker, teacher, tutor, instructor, lecturer, supervisor, manager, mentor, coach,
emergency contact, contact person, next of kin, guardian, seen by, signed by, entered by,
reported by, created by, performed by, approved by, ordered by, prescribed by, treated by,
referred by, recorded by, updated by, modified by, doctor in charge, nurse on duty,
doctor on duty, zdravnik, zdravnica, zobozdravnik, zobozdravnica, kirurg, kirurginja, radiolog,
patolog, psihiater, psiholog, psihologinja, sestra, medicinska sestra, medicinski tehnik, tehnik,
farmacevt, farmacevtka, terapevt, terapevtka, fizioterapevt, fizioterapevtka, negovalec,
negovalka, resevalec, laborant, laborantka, izvajalec, preiskovalec, napotni zdravnik, ucitelj,
uciteljica, profesor, profesorica, razrednik, razrednicarka, vzgojitelj, vzgojiteljica,
mentorica, skrbnik, skrbnica, zaposleni, delavec, delavka, avtor, svojec, kontaktna oseba,
odgovorna oseba, vnesel, vnesla, podpisal, podpisala, napotil, napotila, pregledal, pregledala,
predpisal, predpisala, 의사, 전문의, 전공의, 집도의, 판독의, 처방의, 의뢰의, 마취의, 담당의,
간호사, 약사, 조산사, 치료사, 상담사, 영양사, 복지사, 보호사, 간병인, 교사, 교수, 담임, 강사,
담당자, 작성자, 등록자, 입력자, 검사자, 판독자, 시행자, 책임자, 접수자, 확인자, 승인자, 근무자,
직원, 사원
"""
OTHER_PEOPLE = tuple(" ".join(word.split()) for word in _OF_OTHER_PEOPLE.split(","))
# People whom records are about. Their values are names where they are written as given names and surnames.
_OF_RECORDS = """
patient, client, person, customer, member, subject, participant, respondent, student, pupil, child,
applicant, beneficiary, claimant, donor, resident, citizen, voter, tenant, owner, holder, insured,
user, inmate, people, pacient, pacientka, bolnik, bolnica, oseba, stranka, uporabnik, uporabnica,
udelezenec, udelezenka, clan, clanica, zavarovanec, zavarovanka, student, studentka, ucenec, ucenka,
dijak, otrok, lastnik, darovalec, 환자, 고객, 회원, 대상자, 피험자, 참여자, 참가자, 응답자, 학생,
수진자, 가입자, 신청자, 주민, 사람, 본인
"""
PEOPLE_OF_RECORDS = tuple(word.strip() for word in _OF_RECORDS.split(","))
AFTER_OTHER_PEOPLE = frozenset({"name", "names", "ime", "이름", "성명"})
NO_NAMES_OF_OTHERS = frozenset(
    ("yes", "none", "unknown", "other", "not known", "not applicable", "missing", "neznano", "drugo")
)


def vary_like_names(n_distinct: int, n_cells: int) -> bool:
    """Whether cells have at least as many values as names drawn from only 15 would be expected to have.

    Fewer are categories, whatever the words are: a column of people's names holds more of them, the longer
    it is.

    >>> vary_like_names(5, 5), vary_like_names(14, 30), vary_like_names(5, 30), vary_like_names(12, 5_000)
    (True, True, False, False)
    """
    return n_distinct >= round(_FEWEST_NAMES * (1 - (1 - 1 / _FEWEST_NAMES) ** n_cells))


_FEWEST_NAMES = 15  # different names from which a column of any length can be one of names

# --- people inside texts

# Words after which a name follows, and words of kinship after which a given name alone is somebody's.
TITLES = _words(
    "mr mrs ms miss mister dr doctor prof professor gospa gospod ga gdc gospodicna gospe gospo gospodu "
)
TITLES_WITH_A_DOT = _words("g h doc prim mag sr br ")  # are titles only when a full stop ends them
RELATIVES = _words(
    "wife husband son daughter mother father sister brother partner named called aunt uncle niece "
    "nephew zena moz sin hci hcerka mama oce sestra brat partnerka vnuk vnukinja teta stric soproga "
    "soprog patient pt client dear bolnik bolnika bolniku bolnica bolnico pacient pacienta pacientka "
    "pacientko svak svakinja tast tasca babica dedek "
)
# Listed names that are words too: alone, or beside an unknown word, they say nothing.
NAMES_THAT_ARE_WORDS = _words(
    "mark will may grace rose hunt cook ward bell fisher baker butler carter cooper taylor turner "
    "walker young long reed brooks cruz price christian amber crystal daisy lily poppy ruby joy "
    "faith hope dale ray jack jean bill frank drew chase rob pat sue gene dean earl guy jose august "
    "april june summer melody virginia victoria charlotte jordan austin madison logan diana gloria "
    "martin thomas jan luka rok pia vid mina lara mason shaw scott king green white brown black hill "
    "wood stone field ford foster graham harvey kelly murray petek kos golob medved sever zajc kuhar "
    "kovac kralj lah resnik turk novak mama reyes parker porter page ellis "
    "adams alan lee kim "
)
# The same beside codes, where Novak and Kim are no words, and Wilson's is a disease.
NO_NAMES_IN_CODES = NAMES_THAT_ARE_WORDS - _words("novak kim lee kovac adams kelly murray resnik kralj")
NO_NAMES_IN_CODES |= {"wilson"}
# What stands beside a name that is no person's: of diseases, tests, places and institutions.
BESIDE_EPONYMS = _words(
    "disease syndrome sign test score scale hospital clinic medical center centre college school "
    "university street road avenue lane drive house ward foundation institute palsy method "
    "classification index criteria operation procedure fracture catheter tube stain lymphoma sarcoma "
    "tumor tumour anemia anaemia reflex contracture phenomenon maneuver manoeuvre ulcer hernia "
    "county city north south beach island river creme cream tablet tablets bolnisnica bolezen "
    "sindrom znak lestvica dom sola ulica cesta trg park "
)
# What names of firms, offers, places and answers end with, or begin with.
NO_WORDS_OF_PEOPLE = _words(
    "inc ltd llc llp plc corp corporation co company gmbh ag kg sa srl spa bv nv oy ab doo dd group bank "
    "holding holdings partners industries enterprises systems solutions services service logistics foods "
    "insurance consulting technologies media energy motors airlines plan care package account team unit "
    "department region area zone district north south east west northern southern eastern western central "
    "day case group type class level grade stage arm cohort control adult male female former current never "
    "new san santa sao los las saint st fort port mount lake nova novo stari velika mala bad "
)
# The syllables of Korean given names.
GIVEN_SYLLABLES = frozenset(
    "민서준지현우영수진은정희경미숙자호성철석훈재동승태종광기혜연윤아하예유나원규혁빈찬환순옥분례화선란애주인형"
    "용길남만대창일식근덕복택필학범봉삼달병균국권섭웅익홍후휘가다라린람리별솔슬늘들한결건겸강도루명모문백보세"
    "소시신양언엽오완운율은이임조중채천춘향헌효흠율예슬"
)
# What Korean puts after a name, or before it, to say who somebody is.
KOREAN_HONORIFICS = _words(
    "님 씨 군 양 환자 환자분 보호자 선생님 선생 교수 교수님 과장 과장님 원장 원장님 간호사 의사 "
)
KOREAN_BEFORE_NAMES = _words(
    "환자 보호자 성명 이름 이름은 담당의 주치의 의사 교수 간호사 남편 아내 배우자 모친 부친 어머니 "
    "아버지 딸 아들 형 누나 언니 오빠 동생 간병인 환자명 성함 "
)
KOREAN_PARTICLES = _words(
    "은 는 이 가 을 를 의 에게 께서 께 와 과 도 로 이랑 랑 한테 에 님 님이 님은 님께 님의 님께서 "
    "님과 님을 님도 씨 씨가 씨는 씨의 씨와 씨를 씨에게 "
)

# Frequent Japanese surnames of two characters and more; what many given names end with, and their endings
# when they are of three; what stands first in words of places and offices that begin like a surname.
JAPANESE_SURNAMES = _words(
    "佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 渡部 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 "
    "斎藤 斉藤 清水 山崎 池田 橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 "
    "遠藤 青木 坂本 福田 太田 西村 藤井 岡本 藤原 金子 三浦 中野 中川 原田 松田 竹内 小野 田村 中山 "
    "和田 石田 森田 上田 柴田 酒井 工藤 横山 宮崎 宮本 内田 高木 安藤 谷口 大野 丸山 今井 河野 藤本 "
    "村田 武田 上野 杉山 増田 平野 大塚 千葉 久保 松井 小島 岩崎 桜井 木下 野口 松尾 菊地 菊池 野村 "
    "佐野 新井 杉本 古川 大西 浜田 市川 小松 水野 荒井 島田 西田 矢野 桑原 吉川 高田 宮沢 大橋 松下 "
    "永井"
)
ENDS_OF_JAPANESE_NAMES = (
    "一二三朗太介輔助樹人斗翔也哉弥和雄夫男士志史司平彦輝貴隆明幸弘宏浩孝聡誠治之子美香奈菜咲花華恵江"
    "代枝絵衣希音乃穂里莉沙紗紀結愛織緒"
)
NO_JAPANESE_NAMES = "県市区町村郡駅港空大小中高会病支本店社"

# Words of categories that stand for all others, and names of columns that count people.
TOTAL_WORDS = _words(
    "total totals all sum overall insgesamt gesamt totaal totalt ensemble totale yhteensa 合計 総数 "
    "skupaj vsi vse vsota 합계 전체 총계 소계 계 총합 전국"
)
_NAMES_OF_COUNTS = """
n,count,counts,freq,frequency,n persons,n patients,n people,n cases,number of persons,number of people
number of patients,number of cases,persons,cases,deaths,stevilo,stevilo oseb,stevilo bolnikov
stevilo primerov,anzahl,haufigkeit,anzahl personen,aantal,aantal personen,antal,antal personer,antall
liczba,liczba osob,pocet,broj,effectif,effectifs,nombre de personnes,recuento,frecuencia
numero de personas,conteggio,frequenza,contagem,numero de pessoas,lukumaara,lkm,人数,件数,st oseb
frekvenca,건수,명,명수,인원,인원수,환자수,사람수,빈도,사망자수
"""
COUNT_NAMES = frozenset(_NAMES_OF_COUNTS.strip().replace("\n", ",").split(","))

"""Roles of columns, the words they are named by in several languages, and which name says which role."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from core.people import names as people
from core.words import own


class Role(StrEnum):
    """What a column does to the privacy of the people in a table, most revealing first."""

    DIRECT_IDENTIFIER = "direct identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE_ATTRIBUTE = "sensitive attribute"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class RoleSuggestion:
    """A suggested role of one column, for a person to confirm."""

    column: str  # the column's name
    role: Role  # the suggestion
    # what the column seems to hold, such as ``person's name`` or ``date of birth``; empty for no idea
    kind: str
    score: float  # in [0, 1], how sure the suggestion is; an ordering aid, not a probability
    reason: str  # A sentence in plain words, without cell values
    from_values: bool  # whether its values gave the sign, alone or beside its name
    n_nonblank: int  # cells that hold something, and distinct values among them
    n_distinct: int
    # whether the values only count the rows as they stand, under no header or one that says so: they tell
    # nothing that the order of the rows does not
    counts_rows: bool = False

    @property
    def distinct_share(self) -> float | None:
        """Return distinct values / non-blank cells, in [0, 1]; None where all cells are blank."""
        return self.n_distinct / self.n_nonblank if self.n_nonblank else None


PERHAPS_NAMES = "names of people, perhaps"
DIGESTS = "digests of people, perhaps"

_DIRECT, _QUASI, _SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE


@dataclass(frozen=True)
class NameRule:
    """Phrases that give a column's name one meaning."""

    role: Role  # what a match suggests, and how sure it is
    kind: str
    score: float
    # tokens (or pieces of a Korean word) that, beside the phrase, give it another meaning
    unless: Set[str] = frozenset()
    if_distinct: bool = False  # whether the meaning only holds for a column most of whose values differ
    phrases: tuple[str, ...] = ()  # such as "date of birth"; "=account" has to be the whole name

    def named(self, phrases: str) -> "NameRule":
        """Return the rule with its phrases, given separated by commas."""
        return replace(self, phrases=_words(phrases))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.replace("\n", " ").split(",") if word.strip())


_NOT_A_PERSON = frozenset(
    _words(
        "drug, medication, medicine, product, brand, file, column, variable, field, table, test, lab, "
        "hospital, clinic, facility, institution, organization, organisation, department, dept, ward, unit, "
        "site, study, trial, project, device, disease, diagnosis, condition, procedure, item, category, "
        "type, group, code, event, course, school, company, employer, city, county, state, country, region, "
        "district, province, town, street, payer, insurer, insurance, plan, system, server, host, domain, "
        "model, species, gene, variant, allele, marker, chromosome, sample, component, analyte, scale, "
        "status, count, length, zdravila, zdravilo, bolnisnice, oddelka, ustanove, datoteke, podjetja, "
        "izdelka, diagnoze, kraja, 약, 약품, 약물, 병원, 기관, 검사, 부서, 상품, 제품, 파일, 질병, 질환, "
        "수술, 시설, 업체, 회사, 품목, 항목, 진단, 처치, 도시, 과목, 컬럼, 변수, "
        "continent, nation, territory, municipality, place, area, zone, island, river, lake, mountain, road, "
        "route, building, station, airport, port, airline, ship, vehicle, car, business, restaurant, shop, "
        "store, market, bank, agency, ministry, office, sector, industry, team, club, league, language, "
        "currency, metric, feature, parameter, dataset, function, command, package, software, program, "
        "programme, row, process, activity, task, method, algorithm, period, holiday, color, colour, animal, "
        "plant, crop, food, dish, ingredient, song, album, movie, film, book, journal, publisher, 대륙, "
        "학교, 은행, 업종, celine, drzave, obcine, regije, ladje, ekipe, sole, banke, jezika"
    )
)
_FLAG = frozenset(_words("flag, yn, verified, valid, known, missing, count, consent, opt, type, 여부, 구분"))
_CLINICAL_CODE = frozenset(
    _words("type, category, class, product, item, code, status, unit, device, test, drug, gene, model")
)


_NAME_RULES: tuple[NameRule, ...] = (
    NameRule(_DIRECT, "national identification number", 0.98, _FLAG).named(
        "ssn, social security, social security number, national id, national identifier, "
        "national number, nin, nhs number, nhs no, sin number, tax id, tax number, tin number, itin, "
        "rrn, resident registration, resident number, personal number, personal code, emso, em so, "
        "maticna stevilka, davcna stevilka, davcna st, 주민등록, 주민번호, 외국인등록, 주민등록번호"
    ),
    NameRule(
        _DIRECT, "identity document or account number", 0.95, _FLAG | {"issue", "issuing", "country"}
    ).named(
        "passport, passport no, =drivers, driver license, drivers license, driver licence, drivers licence, "
        "driving license, driving licence, license number, licence number, license plate, plate number, "
        "identity card, id card, credit card, card number, bank account, account number, account no, iban, "
        "insurance number, policy number, health card, health card number, medicare number, member id, "
        "beneficiary id, vehicle id, =vin, potni list, osebna izkaznica, vozniska, bancni racun, "
        "transakcijski racun, =trr, kzz, zzzs, stevilka kartice, zavarovalna stevilka, registrska stevilka, "
        "여권, 운전면허, 면허번호, 계좌번호, 카드번호, 보험번호, 보험증번호, 차량번호, 건강보험증"
    ),
    NameRule(
        _DIRECT, "patient or person number", 0.95, {"type", "status", "class", "count", "등급", "유형"}
    ).named(
        "mrn, medical record, medical record number, medical record no, record number, hospital number, "
        "chart number, chart no, patient id, patient number, patient no, patient key, patient uuid, patient "
        "identifier, =patient, =patients, pat id, pt id, pid number, person id, person number, person key, "
        "subject id, subject number, participant id, participant number, participant no, client id, "
        "customer id, customer number, employee id, employee number, employee no, staff id, student id, "
        "student number, user id, case id, case number, case no, respondent id, donor id, household id, "
        "family id, unique id, uuid, guid, stevilka pacienta, id pacienta, pacient id, sifra pacienta, "
        "stevilka kartona, st kartona, maticni indeks, id osebe, sifra osebe, vpisna stevilka, 환자번호, "
        "환자 id, 환자아이디, 환자식별, 등록번호, 병록번호, 차트번호, 수진자번호, 개인번호, 고객번호, "
        "회원번호, 사번, 학번, 대상자번호, 피험자번호, 연구번호, 식별번호, 가입자번호, 수험번호"
    ),
    NameRule(_DIRECT, "person's name", 0.9, _NOT_A_PERSON | _FLAG).named(
        "name, names, full name, first name, last name, middle name, given name, family name, surname, "
        "forename, firstname, lastname, fullname, maiden, maiden name, nickname, username, user name, "
        "patient name, person name, mother name, father name, spouse name, contact name, initials, =first, "
        "=last, =middle, =patient, ime, priimek, ime in priimek, ime priimek, dekliski priimek, 성명, 이름, "
        "환자명, 성함, 보호자, 보호자명, 의사명, 담당의, 주치의, 고객명, 회원명, 학생명, 예금주, "
        "vorname, nachname, familienname, prenom, nom de famille, apellido, apellidos, "
        "nombre completo, cognome, sobrenome, voornaam, achternaam, fornamn, efternamn, "
        "fornavn, etternavn, etunimi, sukunimi, imie, nazwisko, jmeno, prijmeni, prezime"
    ),
    NameRule(_DIRECT, "phone number", 0.95, _FLAG | {"type", "model", "screen", "brand"}).named(
        "phone, telephone, phone number, phone no, tel, tel no, mobile, mobile number, mobile no, "
        "cellphone, cell phone, fax, fax number, telefon, telefonska, telefonska stevilka, gsm, "
        "mobitel, faks, 전화, 휴대폰, 핸드폰, 휴대전화, 연락처, 팩스"
    ),
    NameRule(_DIRECT, "e-mail address", 0.97, _FLAG).named(
        "email, e mail, mail address, email address, eposta, e posta, elektronska posta, "
        "elektronski naslov, e naslov, 이메일, 메일주소, 전자우편"
    ),
    NameRule(_DIRECT, "online identifier or network address", 0.9, _FLAG).named(
        "ip address, ip addr, =ip, client ip, mac address, imei, device serial, serial number, login, "
        "=account, twitter, facebook, instagram, kakao, url profile, photo, fingerprint, face image, "
        "ip naslov, uporabnisko ime, 아이피, 아이디, 로그인, 사진, 지문"
    ),
    NameRule(
        _DIRECT, "postal address", 0.9, _FLAG | {"ip", "mac", "email", "mail", "web", "type", "memory", "증"}
    ).named(
        "address, street, street address, home address, residence address, addr, address line, house "
        "number, street name, street number, apartment, naslov, ulica, hisna stevilka, naslov "
        "bivalisca, stalno prebivalisce, zacasno prebivalisce, 주소, 거주지, 도로명, 번지, 상세주소"
    ),
    NameRule(
        _QUASI, "date of birth", 0.97, {"weight", "order", "type", "control", "height", "length", "place"}
    ).named(
        "birth, birth date, date of birth, dob, birthday, year of birth, birth year, yob, birth month, "
        "born, datum rojstva, rojstni datum, rojstni dan, leto rojstva, rojstvo, rojen, 생년월일, "
        "생년, 생일, 출생일, 출생년, 출생연도, 출생, "
        "geburtsdatum, geburtsjahr, geburtstag, geboren, naissance, date de naissance, annee de naissance, "
        "nacimiento, fecha de nacimiento, ano de nacimiento, nascita, data di nascita, nascimento, data de "
        "nascimento, geboortedatum, geboortejaar, fodelsedatum, fodelsear, fodd, fodselsdato, fodselsar, "
        "fodt, fødselsdato, fødselsar, født, syntymaaika, syntymavuosi, data urodzenia, rok urodzenia, "
        "datum narozeni, rok narozeni, datum rodenja"
    ),
    NameRule(_QUASI, "date of death", 0.95, {"cause", "flag", "yn"}).named(
        "death date, date of death, dod, deceased date, year of death, death year, datum smrti, "
        "leto smrti, 사망일, 사망일자, 사망연도, 사망년도"
    ),
    NameRule(_QUASI, "date of a visit or stay", 0.75).named(
        "visit date, date of visit, admission date, date of admission, admit date, discharge date, "
        "date of discharge, encounter date, service date, appointment date, surgery date, "
        "procedure date, diagnosis date, date of diagnosis, onset date, start date, stop date, "
        "end date, order date, treatment date, collection date, sample date, test date, exam date, "
        "registration date, enrollment date, =start, =stop, =date, event date, index date, "
        "datum obiska, datum sprejema, datum odpusta, datum pregleda, datum diagnoze, datum operacije, "
        "datum preiskave, datum zdravljenja, =datum, 내원일, 방문일, 입원일, 퇴원일, 진료일, 수술일, "
        "검사일, 진단일, 처방일, 접수일, 발병일, 등록일, 입원일자, 퇴원일자, =날짜, =일자"
    ),
    NameRule(_QUASI, "postal code", 0.95, {"operative", "file", "elektronska", "e"}).named(
        "zip, zip code, postal code, post code, postcode, zipcode, zip5, zip3, postal, "
        "postna stevilka, postna st, postna, posta, 우편번호, 우편, "
        "plz, postleitzahl, code postal, codigo postal, postnummer, kod pocztowy"
    ),
    NameRule(_QUASI, "sex or gender", 0.95, {"partner", "partners", "orientation", "hormone"}).named(
        "sex, gender, =m f, male female, spol, 성별, 남녀, "
        "geschlecht, sexe, sexo, sesso, geslacht, =kon, kjonn, kjønn, sukupuoli, plec, płec, pohlavi"
    ),
    NameRule(_QUASI, own("age"), 0.93, {"gestational", "bone", "software", "device"}).named(
        "age, ages, age group, age band, age range, age years, age in years, age at, starost, "
        "starostna skupina, leta starosti, 나이, 연령, 연령대, 만나이, "
        "=alter, altersgruppe, altersklasse, edad, grupo de edad, idade, faixa etaria, leeftijd, "
        "leeftijdsgroep, alder, aldersgrupp, aldersgruppe, =ika, ikaryhma, wiek, grupa wiekowa"
    ),
    NameRule(_QUASI, "race, ethnicity or nationality", 0.92, {"condition", "pace"}).named(
        "race, ethnicity, ethnic, ethnic group, nationality, citizenship, native country, "
        "country of birth, country of origin, mother tongue, native language, narodnost, rasa, "
        "drzavljanstvo, materni jezik, drzava rojstva, 인종, 민족, 국적, 출신국, 모국어, "
        "staatsangehorigkeit, herkunft, herkunftsland, nationalite, nacionalidad, nacionalidade, "
        "nazionalita, nationaliteit, herkomst, narodowosc, obywatelstwo"
    ),
    NameRule(_QUASI, "marital status or household", 0.92, {"type", "id"}).named(
        "marital, marital status, civil status, married, ever married, relationship, spouse, "
        "household size, number of children, n children, zakonski stan, zakonski status, porocen, "
        "stevilo otrok, 결혼, 혼인, 배우자, 자녀수, 가구원수, "
        "familienstand, etat civil, estado civil, stato civile, burgerlijke staat, civilstand, stan cywilny"
    ),
    NameRule(_QUASI, "occupation or education", 0.88, {"angle", "celsius", "temperature"}).named(
        "occupation, profession, job, job title, employer, workplace, work type, workclass, "
        "employment, employment status, education, education level, degree, schooling, school, "
        "military, rank, poklic, zaposlitev, delodajalec, izobrazba, stopnja izobrazbe, 직업, 직종, "
        "직장, 직위, 학력, 교육수준, 최종학력, 소속, "
        "beruf, ausbildung, metier, ocupacion, profesion, professione, profissao, beroep, yrke, ammatti, "
        "zawod, povolani, zanimanje"
    ),
    NameRule(_QUASI, own("coordinates"), 0.95, {"ventricular", "view"}).named(
        "lat, lon, lng, long lat, latitude, longitude, gps, geo, geolocation, geocode, coordinates, "
        "coordinate, x coord, y coord, utm, =lat long, zemljepisna sirina, zemljepisna dolzina, "
        "geografska sirina, geografska dolzina, koordinate, koordinata, 위도, 경도, 좌표"
    ),
    NameRule(
        _QUASI,
        "place or region",
        0.88,
        {"solid", "steady", "mental", "emotional", "body", "brain", "machine"},
    ).named(
        "city, town, village, county, state, province, region, district, municipality, country, "
        "territory, fips, census tract, census block, neighborhood, neighbourhood, birth place, "
        "birthplace, place of birth, place, location, residence, residence type, kraj, kraj rojstva, "
        "kraj bivanja, obcina, regija, pokrajina, drzava, mesto, okraj, 지역, 시도, 시군구, 읍면동, "
        "행정동, 법정동, 도시, 국가, 출생지, 출신지, 거주지역, 지역코드, "
        "wohnort, gemeinde, bezirk, landkreis, bundesland, kanton, commune, departement, ville, municipio, "
        "provincia, ciudad, comune, regione, concelho, distrito, regiao, gemeente, woonplaats, provincie, "
        "regio, kommun, kommune, =lan, fylke, kunta, maakunta, powiat, wojewodztwo, gmina, miejscowosc, "
        "obec, zupanija, opcina"
    ),
    NameRule(_QUASI, "title or form of address", 0.7).named(
        "=prefix, =suffix, =title, salutation, honorific, name prefix, name suffix, naziv, 호칭"
    ),
    NameRule(
        _QUASI,
        "body measurement visible to others",
        0.55,
        {"birth", "sample", "loss", "tumor", "tumour", "row", "line", "sampling", "design"},
    ).named("height, body height, weight, body weight, visina, telesna teza, 체중, 몸무게"),
    NameRule(_SENSITIVE, "diagnosis or disease", 0.93, {"date", "air", "일", "일자"}).named(
        "diagnosis, diagnoses, diag, dx, icd, icd9, icd10, icd 10, icd code, disease, diseases, illness, "
        "disorder, condition, conditions, comorbidity, comorbidities, cause of death, death cause, cancer, "
        "tumor, tumour, hiv, aids, hepatitis, diabetes, stroke, hypertension, depression, psychiatric, "
        "snomed, pregnancy, pregnant, abortion, std, allergy, allergies, symptom, symptoms, diagnoza, "
        "diagnoze, bolezen, bolezni, mkb, mkb10, vzrok smrti, alergija, alergije, nosecnost, 진단, 진단명, "
        "진단코드, 상병, 병명, 질병, 질환, 사망원인, 증상, 주호소, 알레르기, 임신, 상병코드, "
        "diagnose, diagnostic, diagnostico, diagnosi, krankheit, maladie, enfermedad, doenca, malattia, "
        "ziekte, sjukdom, sykdom, sairaus, choroba, rozpoznanie"
    ),
    NameRule(_SENSITIVE, "treatment or medication", 0.85, {"date", "일", "일자"}).named(
        "medication, medications, medicine, drug, drugs, prescription, treatment, therapy, procedure, "
        "surgery, operation, vaccine, vaccination, dose, dosage, atc, atc code, zdravilo, zdravila, "
        "terapija, zdravljenje, operacija, poseg, recept, cepljenje, odmerek, 약품, 약물, 처방, 치료, "
        "수술, 시술, 투약, 처치, 백신, 용량"
    ),
    NameRule(_SENSITIVE, "test result", 0.7, {"date", "credit"}).named(
        "result, results, lab result, lab value, test result, finding, findings, blood pressure, "
        "systolic, diastolic, glucose, cholesterol, hba1c, hemoglobin, haemoglobin, creatinine, bmi, "
        "genotype, mutation, gene, variant, score, izvid, rezultat, krvni tlak, krvni sladkor, "
        "검사결과, 결과값, 결과, 혈압, 혈당, 콜레스테롤, 유전자"
    ),
    NameRule(_SENSITIVE, own("money"), 0.88, {"area", "geographic"}).named(
        "income, salary, salary class, wage, wages, pay, earnings, expense, expenses, expenditure, "
        "cost, costs, coverage, healthcare expenses, healthcare coverage, charge, charges, debt, "
        "credit score, balance, net worth, dohodek, placa, strosek, stroski, dolg, prihodek, 소득, "
        "급여, 월급, 연봉, 수입, 비용, 진료비, 재산, 부채, "
        "einkommen, gehalt, revenu, salaire, ingreso, ingresos, salario, sueldo, reddito, stipendio, "
        "inkomen, inkomst, inntekt, dochod, zarobki"
    ),
    NameRule(
        _SENSITIVE, "belief, orientation or record of conduct", 0.92, {"swab", "spatial", "sprejemanje"}
    ).named(
        "religion, religious, faith, political, party membership, union membership, sexual orientation, "
        "orientation, sexual, criminal, conviction, offence, offense, drug use, alcohol, smoking, "
        "smoking status, smoker, disability, substance use, vera, veroizpoved, politicna, kaznivo, "
        "kajenje, kadilec, alkohol, invalidnost, 종교, 정치, 전과, 범죄, 흡연, 음주, 장애"
    ),
    NameRule(_DIRECT, "free text", 0.6, if_distinct=True).named(
        "comment, comments, note, notes, remark, remarks, memo, narrative, free text, clinical note, "
        "opomba, opombe, komentar, pripombe, 비고, 메모, 소견, 특이사항, 의견, 코멘트"
    ),
    NameRule(Role.OTHER, "number of days", 0.6).named(
        "내원일수, 입원일수, 입내원일수, 재원일수, 진료일수, 투약일수, 요양일수, 처방일수, 수술일수, "
        "검사일수, 방문일수"
    ),
    NameRule(_DIRECT, "record identifier", 0.75, _CLINICAL_CODE, if_distinct=True).named(
        "id, ids, identifier, key, record id, record key, encounter, encounter id, visit id, order id, "
        "sample id, specimen id, claim id, session id, transaction id, row id, index, sifra, "
        "identifikator, zaporedna stevilka, 번호, 아이디, 일련번호, 순번, 접수번호, 연번"
    ),
)


_OF_ROWS = frozenset(
    tuple(phrase.split())
    for phrase in _words(
        "index, row, rows, row id, row number, row no, row names, rownames, no, nr, x, zaporedna stevilka, "
        "zaporedna st, zap st, st vrstice, 순번, 연번, 일련번호"
    )
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[가-힣]+|[^\W\d_가-힣]+[0-9]*|[0-9]+")
_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True, kw_only=True)
class NameMatch:
    """A rule that a column's name satisfies, and how many tokens (or syllables) of it."""

    rule: NameRule
    length: int


def name_tokens(name: str) -> tuple[str, ...]:
    """Return the words of a column's name: lower case, no accents, split at camelCase and signs.

    >>> name_tokens("DateOfBirth"), name_tokens("Poštna številka"), name_tokens("환자ID")
    (('date', 'of', 'birth'), ('postna', 'stevilka'), ('환자', 'id'))
    """
    composed = unicodedata.normalize("NFKC", name)
    tokens = _TOKEN.findall(_CAMEL.sub(" ", composed))
    return tuple(_without_accents(token).casefold() for token in tokens)


def match_name(name: str) -> NameMatch | None:
    """Return the rule that explains most of a column's name, None where no rule does.

    The longest phrase wins; among equally long ones the surer rule, then the earlier one. So
    ``drug name`` is about a drug and ``date of birth`` is not about any date.
    """
    tokens = name_tokens(name)
    matches = (*_whole_names(tokens), *_phrases(tokens), *_joined_phrases(tokens), *_korean_pieces(tokens))
    return max(matches, key=lambda match: (match.length, match.rule.score), default=None)


def heads_row_numbers(name: str) -> bool:
    """Tell whether a column has no name of its own, or one that says it numbers the rows."""
    tokens = name_tokens(name)
    return tokens[:1] == ("unnamed",) or tokens in _OF_ROWS


def heads_other_people(name: str) -> bool:
    """Whether a column's name ends with a word for staff or relatives, such as ``referring physician``.

    >>> [heads_other_people(name) for name in ("RefPhysician2", "담당간호사", "nurse notes", "의사 여부")]
    [True, True, False, False]
    """
    return _ends_with(name, people.OTHER_PEOPLE)


def heads_people_of_records(name: str) -> bool:
    """Whether a column's name ends with a word for those whom records are about, such as ``client``.

    >>> [heads_people_of_records(name) for name in ("Patient", "client_name", "환자 이름", "client type")]
    [True, True, True, False]
    """
    return _ends_with(name, people.PEOPLE_OF_RECORDS)


def _ends_with(name: str, phrases: Iterable[str]) -> bool:
    tokens = [token for token in name_tokens(name) if not token.isdigit()]
    while len(tokens) > 1 and tokens[-1] in people.AFTER_OTHER_PEOPLE:
        del tokens[-1]
    last = re.sub("(?:[0-9]+|(?<=..)(?:성?명|이름))$", "", tokens[-1]) if tokens else ""
    spoken = (*tokens[:-1], last)
    return any(
        spoken[-len(words) :] == words or (_HANGUL.search(words[0]) and last.endswith(words[0]))
        for words in map(tuple, map(str.split, phrases))
    )


def _whole_names(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase that is the whole name, its words written together or not."""
    joined = "".join(tokens)
    for rule in (*_VOCABULARY.whole.get(joined, ()), *_VOCABULARY.joined.get(joined, ())):
        yield NameMatch(rule=rule, length=len(joined))


def _phrases(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase among the tokens, unless a token beside it changes the meaning."""
    for start, token in enumerate(tokens):
        for rule, words in _VOCABULARY.by_first_word.get(token, ()):
            end = start + len(words)
            if tokens[start:end] == words and not _changes_meaning(tokens[:start] + tokens[end:], rule):
                yield NameMatch(rule=rule, length=sum(map(len, words)))


def _joined_phrases(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a phrase written together as one token, possibly with a number behind it."""
    for i, token in enumerate(tokens):
        word = token.rstrip("0123456789")
        for rule in _VOCABULARY.joined.get(word, ()):
            if not _changes_meaning(tokens[:i] + tokens[i + 1 :], rule):
                yield NameMatch(rule=rule, length=len(word))


def _korean_pieces(tokens: tuple[str, ...]) -> Iterator[NameMatch]:
    """Yield the rules with a Korean phrase inside a word."""
    if any(_HANGUL.search(token) for token in tokens):
        for rule, piece in _VOCABULARY.korean:
            if _inside_korean(piece, tokens, rule.unless):
                yield NameMatch(rule=rule, length=len(piece))


def _inside_korean(piece: str, tokens: Iterable[str], unless: Set[str]) -> bool:
    """Whether a Korean word holds the piece, and nothing beside it that changes the meaning."""
    for token in tokens:
        if piece in token:
            rest = token.replace(piece, " ", 1)
            return not any(_HANGUL.search(word) and word in rest for word in unless)
    return False


def _changes_meaning(rest: Iterable[str], rule: NameRule) -> bool:
    return any(token in rule.unless for token in rest)


def _without_accents(text: str) -> str:
    if _HANGUL.search(text):
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


class _Vocabulary:
    """The phrases of all rules, by what a name is looked up with."""

    def __init__(self, rules: Iterable[NameRule]) -> None:
        self.whole: dict[str, list[NameRule]] = defaultdict(list)
        self.joined: dict[str, list[NameRule]] = defaultdict(list)
        self.by_first_word: dict[str, list[tuple[NameRule, tuple[str, ...]]]] = defaultdict(list)
        self.korean: list[tuple[NameRule, str]] = []
        for rule in rules:
            for phrase in rule.phrases:
                self._add(rule, phrase)

    def _add(self, rule: NameRule, phrase: str) -> None:
        words = name_tokens(phrase.removeprefix("="))
        if phrase.startswith("="):
            self.whole["".join(words)].append(rule)
        elif len(words) == 1 and _HANGUL.search(words[0]):
            self.korean.append((rule, words[0]))
        else:
            self.by_first_word[words[0]].append((rule, words))
            self.joined["".join(words)].append(rule)


_VOCABULARY = _Vocabulary(_NAME_RULES)
NAMED_KINDS = frozenset(rule.kind for rule in _NAME_RULES)  # what a column's name can mean

"""Uploads are held once, for one tab, and are gone when the person says so or closes the tab."""

import re

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.kinds import Visit, Wait

SMALL = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
LARGE = {"name": "many.csv", "mimeType": "text/csv", "buffer": b"age,sex\n" + b"30,F\n" * 800_000}


def _uploads_in_streamlit(page: Page, server_address: str) -> int:
    """Return the bytes that Streamlit itself still holds of uploads."""
    metrics = page.context.request.get(f"{server_address}/_stcore/metrics").text()
    return sum(int(float(size)) for size in re.findall(r'UploadedFileManager".*?\} ([\d.e+]+)', metrics))


def _look_for(page: Page, file: dict[str, object]) -> None:
    """Look for a file's line, in the drawer of files and settings."""
    page.get_by_test_id("stExpander").filter(has_text="Files and settings").locator("summary").click()
    expect(page.get_by_text(f"{file['name']} ·")).to_be_visible(timeout=30_000)


def _upload(page: Page, file: dict[str, object]) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
    _look_for(page, file)


def test_upload__moves_to_the_vault_and_leaves_no_second_copy(visit: Visit, server_address: str) -> None:
    page = visit("tabular")
    _upload(page, LARGE)
    expect(page.get_by_text(re.compile(r"4 MB of your files are held"))).to_be_visible()
    assert _uploads_in_streamlit(page, server_address) == 0


def test_delete_my_data__empties_every_page(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("tabular")
    _upload(page, SMALL)
    wait_until_idle(page)
    page.get_by_role("button", name="Delete my data").click()
    page.get_by_role("button", name="Delete all").click()
    expect(page.get_by_text("people.csv")).to_have_count(0)
    expect(page.get_by_text("go when you close the tab")).to_be_visible()


def test_upload__survives_a_page_switch_but_not_a_reload(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("tabular")
    _upload(page, SMALL)
    wait_until_idle(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Home").click()
    expect(page.get_by_role("heading", level=1, name="AnonAudit")).to_be_visible()
    expect(page.get_by_text("of your files are held in memory")).to_be_visible()
    page.go_back()
    _look_for(page, SMALL)
    page.get_by_role("button", name="Add files").click()
    expect(page.get_by_text("Reloading the page (F5) loses the files.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("go when you close the tab")).to_be_visible()
    expect(page.get_by_text("people.csv")).to_have_count(0)


def test_interrupted_connection__says_so_and_asks_again(
    quiet_page: Page, server_address: str, wait_until_idle: Wait
) -> None:
    sockets: list[WebSocketRoute] = []

    def pass_through(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    quiet_page.route_web_socket(re.compile("_stcore/stream"), pass_through)
    quiet_page.goto(f"{server_address}/tabular")
    expect(quiet_page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    wait_until_idle(quiet_page)
    _upload(quiet_page, SMALL)
    n_before = len(sockets)
    sockets[-1].close(code=1012, reason="interrupted by the test")
    for _ in range(100):
        if len(sockets) > n_before:
            break
        quiet_page.wait_for_timeout(100)
    assert len(sockets) > n_before, "the page did not connect again"
    quiet_page.wait_for_timeout(500)
    told = quiet_page.get_by_text("The connection was interrupted")
    more = quiet_page.get_by_role("button", name="Add files")
    expect(told.or_(more).first).to_be_visible(timeout=30_000)
    if more.is_visible():  # else the page was drawn anew when it connected
        more.click()
        quiet_page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(LARGE)
    expect(told).to_be_visible(timeout=30_000)

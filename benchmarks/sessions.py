"""Sessions of a real server in Streamlit's own protocol: as a browser holds them, without drawing."""

from __future__ import annotations

import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from http.cookiejar import CookieJar
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from benchmarks.dashboard import TOKEN

SECONDS = 400


class Session:
    """A visitor of one page: uploads files, moves sliders, reads what is shown."""

    def __init__(self, address: str, page: str, *, token: str = TOKEN) -> None:
        self._address, self._page = address, page
        self._jar = CookieJar()
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        for path in (f"?token={token}", "_stcore/health"):
            self._http.open(f"{address}/{path}", timeout=SECONDS).read()
        cookies = {cookie.name: cookie.value or "" for cookie in self._jar}
        self._xsrf = cookies["_streamlit_xsrf"]
        connection = connect(
            f"{address.replace('http', 'ws')}/_stcore/stream",
            subprotocols=["streamlit", self._xsrf],  # type: ignore[list-item]
            additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
            max_size=None,
            open_timeout=SECONDS,
            ping_interval=None,  # nobody listens between two runs
        )
        self._open = ExitStack()
        self._socket = self._open.enter_context(connection)
        self._widgets: dict[str, WidgetState] = {}
        self._messages: dict[str, ForwardMsg] = {}  # the server sends a long one once
        self._script = ""
        self.shown: dict[tuple[int, ...], Any] = {}  # elements by their place
        self.told: list[str] = []  # in boxes, those too that are gone
        self.is_running = False
        self.rerun()

    def close(self) -> None:
        """Close the tab."""
        self._open.close()

    def rerun(self, *, fragment: str = "", until: str = "") -> float:
        """Run the page or a part of it; return the seconds until its end, or until something is said."""
        started = time.perf_counter()
        self.begin(fragment=fragment)
        for message in self._receive():
            kind = message.WhichOneof("type")
            if kind == "new_session" and not fragment:
                self.shown.clear()
            if kind == "navigation":
                self._script = message.navigation.page_script_hash
            if until and kind == "delta" and until in str(message.delta):
                return time.perf_counter() - started
            if kind == "script_finished" and not until and message.script_finished != 2:
                break
        seconds = time.perf_counter() - started
        said = self.text
        self._widgets = {name: state for name, state in self._widgets.items() if name in said}
        return seconds

    def begin(self, *, fragment: str = "") -> None:
        """Begin to run the page or a part of it, and do not wait for its end."""
        asked = BackMsg()
        asked.rerun_script.fragment_id = fragment
        asked.rerun_script.page_script_hash = self._script
        asked.rerun_script.page_name = "" if self._script else self._page
        asked.rerun_script.widget_states.widgets.extend(self._widgets.values())
        self.is_running = True
        self._socket.send(asked.SerializeToString())

    def stop(self) -> None:
        """Stop the page, as its menu does."""
        self._socket.send(BackMsg(stop_script=True).SerializeToString())

    def hear(self, seconds: float) -> None:
        """Take in what the page shows within so many seconds."""
        ends_at = time.monotonic() + seconds
        with suppress(TimeoutError):
            for _ in self._receive(ends_at):
                pass

    def _receive(self, ends_at: float | None = None) -> Iterator[ForwardMsg]:
        while True:
            left = SECONDS if ends_at is None else max(ends_at - time.monotonic(), 0)
            message = ForwardMsg()
            message.ParseFromString(bytes(self._socket.recv(timeout=left)))  # type: ignore[arg-type]
            if message.WhichOneof("type") == "ref_hash":
                message = self._messages[message.ref_hash]
            elif message.hash:
                self._messages[message.hash] = message
            self.is_running &= message.WhichOneof("type") != "script_finished"
            if message.WhichOneof("type") == "delta" and message.delta.WhichOneof("type") == "new_element":
                self.shown[tuple(message.metadata.delta_path)] = message.delta
                if message.delta.new_element.WhichOneof("type") == "alert":
                    self.told.append(message.delta.new_element.alert.body)
            yield message

    def element(self, kind: str, label: str) -> tuple[Any, str]:
        """Return a widget by its kind and label, and the part of the page that it is in."""
        for delta in self.shown.values():
            if delta.new_element.WhichOneof("type") == kind:
                found = getattr(delta.new_element, kind)
                if label in found.label:
                    return found, delta.fragment_id
        raise LookupError(label)

    @property
    def text(self) -> str:
        """Return everything that is said on the page."""
        return "\n".join(map(str, self.shown.values()))

    def upload(self, label: str, files: Mapping[str, bytes]) -> float:
        """Upload files as a person does by one drop; return the seconds until the page has ended."""
        started = time.perf_counter()
        self.put(label, files)
        self.rerun()
        return time.perf_counter() - started

    def press(self, label: str, *, wait: bool = True) -> None:
        """Press a button; wait for what comes of it."""
        button, fragment = self.element("button", label)
        self._widgets[button.id] = WidgetState(id=button.id, trigger_value=True)
        (self.rerun if wait else self.begin)(fragment=fragment)
        self._widgets.pop(button.id, None)

    def wait_for(self, kind: str) -> None:
        """Look at the page again until it shows something of a kind."""
        ends_at = time.monotonic() + SECONDS
        while kind not in {each.new_element.WhichOneof("type") for each in self.shown.values()}:
            if time.monotonic() > ends_at:
                raise TimeoutError(kind)
            time.sleep(0.5)
            self.rerun()

    def put(self, label: str, files: Mapping[str, bytes]) -> None:
        """Send files, and let no page take them."""
        widget, _ = self.element("file_uploader", label)
        asked = BackMsg()
        asked.file_urls_request.request_id = uuid.uuid4().hex
        asked.file_urls_request.session_id = ""
        asked.file_urls_request.file_names.extend(files)
        self._socket.send(asked.SerializeToString())
        urls = next(
            each.file_urls_response.file_urls
            for each in self._receive()
            if each.WhichOneof("type") == "file_urls_response"
        )
        state = WidgetState(id=widget.id)
        for (name, data), url in zip(files.items(), urls, strict=True):
            self._put(url.upload_url, name, data)
            info = UploadedFileInfo(file_id=url.file_id, name=name, size=len(data), file_urls=url)
            state.file_uploader_state_value.uploaded_file_info.append(info)
        self._widgets[widget.id] = state

    def _put(self, url: str, name: str, data: bytes) -> None:
        bound = uuid.uuid4().hex
        head = (
            f'--{bound}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = b"".join([head.encode(), data, f"\r\n--{bound}--\r\n".encode()])
        headers = {"X-Xsrftoken": self._xsrf, "Content-Type": f"multipart/form-data; boundary={bound}"}
        request = urllib.request.Request(f"{self._address}{url}", data=body, headers=headers, method="PUT")
        self._http.open(request, timeout=SECONDS).read()

    def move(self, label: str, value: float, *, until: str = "") -> float:
        """Move a slider; return the seconds until the page has answered."""
        slider, fragment = self.element("slider", label)
        state = WidgetState(id=slider.id)
        state.double_array_value.data.append(value)
        self._widgets[slider.id] = state
        return self.rerun(fragment=fragment, until=until)

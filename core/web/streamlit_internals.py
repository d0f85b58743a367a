"""Parts of Streamlit that are no documented API, all that are used, of the version that a test names."""

from streamlit import runtime
from streamlit.auth_util import get_secrets_auth_section
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryFile, _calculate_file_id
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileManager
from streamlit.web.server.server_util import get_display_address, get_url
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks, is_host_allowed

"""What serves pages: a session's vault, and the parts of Streamlit that are no documented API."""

"""What people see: a Streamlit app that reads the store. It imports ``db`` alone."""

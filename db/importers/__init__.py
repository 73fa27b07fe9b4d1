"""Files that people already have, read into drafts of claims, predictions and curves; one small module per format.

Every file is from a stranger: nothing is executed, fetched or unpickled, and what does not fit is refused in words.
"""

from db.importers.column_mapping import guess
from db.importers.detect import ACCEPTED, columns, in_folder, read
from db.importers.result import ImportedFile
from db.importers.safe_json import LIMIT_BYTES, FileError

__all__ = ["ACCEPTED", "LIMIT_BYTES", "FileError", "ImportedFile", "columns", "guess", "in_folder", "read"]

"""Networks: classes of our own and of the transformers library, computed by torch, NumPy or ONNX Runtime."""

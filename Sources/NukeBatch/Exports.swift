// `import NukeBatch` is enough to read a manifest or build one, processors included, and to run it.
@_exported public import Imaging
@_exported public import JobManifest
@_exported public import JobPlanning

// `import NukeBatch` is enough to read a manifest and run it.
@_exported public import JobManifest
@_exported public import JobPlanning

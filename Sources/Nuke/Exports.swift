// Code that names URLRequest, or DataCache, CurlDataLoader, its address policy or object storage, needs no other import than Nuke's.

@_exported import Foundation
@_exported import FoundationNetworking
@_exported import ObjectStorage
@_exported import Originals
@_exported import Transport

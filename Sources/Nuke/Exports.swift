// Code that names URLRequest, or the address policy or the object storage of CurlDataLoader, needs no other import than Nuke's.

@_exported import Foundation
@_exported import FoundationNetworking
@_exported import ObjectStorage
@_exported import Transport

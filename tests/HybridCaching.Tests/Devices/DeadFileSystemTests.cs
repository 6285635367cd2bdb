using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>EIO for real: the file system is shut down under the files that are open. It can be mounted again only when nobody has any open.</summary>
public sealed class DeadFileSystemTests(DeadFileSystemTests.DeadFileSystem fault)
    : DiskFaultTests<DeadFileSystemTests.DeadFileSystem>(fault), IClassFixture<DeadFileSystemTests.DeadFileSystem>
{
    public sealed class DeadFileSystem : DiskFault
    {
        private LoopDisk? _disk;

        public override void Dispose() => _disk?.Dispose();

        protected override string Prepare() => (_disk = new LoopDisk("xfs")).Path;

        protected override void Break() => _disk!.ShutDown();

        protected override bool TryMend() => _disk!.TryRemount();
    }
}

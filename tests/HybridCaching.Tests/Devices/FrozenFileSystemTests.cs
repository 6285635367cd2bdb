using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>A disk that does not answer, for real: writes to a frozen file system wait in the kernel.</summary>
public sealed class FrozenFileSystemTests(FrozenFileSystemTests.FrozenFileSystem fault)
    : DiskFaultTests<FrozenFileSystemTests.FrozenFileSystem>(fault), IClassFixture<FrozenFileSystemTests.FrozenFileSystem>
{
    public sealed class FrozenFileSystem : DiskFault
    {
        private LoopDisk? _disk;

        public override void Dispose() => _disk?.Dispose();

        protected override string Prepare() => (_disk = new LoopDisk("xfs")).Path;

        protected override void Break() => _disk!.Freeze();

        protected override bool TryMend()
        {
            _disk!.Thaw();
            return true;
        }
    }
}

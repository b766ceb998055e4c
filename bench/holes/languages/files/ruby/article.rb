class Article < ApplicationRecord
  STATUSES = %w[draft published archived].freeze

  belongs_to :author, class_name: "User"
  has_many :comments, dependent: :destroy
  has_many :taggings, dependent: :destroy
  has_many :tags, through: :taggings

  validates :title, presence: true, length: { maximum: 120 }
  validates :slug, presence: true, uniqueness: true
  validates :status, inclusion: { in: STATUSES }

  scope :published, -> { where(status: "published") }
  scope :recent, -> { order(published_at: :desc) }
  scope :by, ->(author) { where(author: author) }

  before_validation :set_slug, on: :create

  def self.search(query)
    return all if query.blank?

    where("title LIKE :query OR body LIKE :query", query: "%#{sanitize_sql_like(query)}%")
  end

  def publish!
    update!(status: "published", published_at: Time.current)
  end

  def unpublish!
    update!(status: "draft", published_at: nil)
  end

  def archive!
    update!(status: "archived")
  end

  def published?
    status == "published"
  end

  def reading_minutes
    words = body.split.size
    [(words / 200.0).ceil, 1].max
  end

  def tag_names=(names)
    self.tags = names.split(",").map do |name|
      Tag.find_or_create_by!(name: name.strip.downcase)
    end
  end

  def tag_names
    tags.map(&:name).join(", ")
  end

  private

  def set_slug
    self.slug ||= title.to_s.parameterize
  end
end
